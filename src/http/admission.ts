import type { FastifyRequest } from 'fastify';
import { API_VERSION } from '../events/record.ts';
import type { Deps } from '../deps.ts';
import { notFound, Problem } from '../kit/errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyRing } from '../keys/ring.ts';
import { isAllowed } from '../keys/service.ts';
import { isScope } from '../keys/scopes.ts';
import type { KeyWithTeam } from '../keys/store.ts';
import type { Route } from './route.ts';

/** What the router found for the request: an operation, a path without that method, or nothing. */
export type Target = { kind: 'route'; route: Route } | { kind: 'wrong_method'; allow: string[] } | { kind: 'nothing' };

interface Visit {
  deps: Deps;
  keys: KeyRing;
  request: FastifyRequest;
  target: Target;
  key: KeyWithTeam;
  version: string;
}

const SUPPORTED_VERSIONS = new Set([API_VERSION]);

/**
 * The order of checks on every API request, before its body is read (decisions section 2). Each throws the Problem of
 * its step; the first to object answers.
 */
const CHECKS: ((visit: Visit) => void | Promise<void>)[] = [
  findKey,
  refuseBrowser,
  checkAddress,
  checkVersion,
  checkRoute,
  checkKeyKind,
  checkScope,
  checkEnvironment,
];

/** @throws Problem 401, 403, 400, 404, 405 or 406 */
export async function admit(
  deps: Deps,
  keys: KeyRing,
  request: FastifyRequest,
  target: Target,
): Promise<{ caller: Caller; version: string }> {
  const visit = { deps, keys, request, target } as Visit;
  for (const check of CHECKS) await check(visit);
  const { key } = visit;
  const caller: Caller = {
    team: key.team,
    store: deps.stores[key.environment],
    key_id: key.id,
    kind: key.kind,
    scopes: key.scopes.filter(isScope),
  };
  return { caller, version: visit.version };
}

/** The key is the sole value of the header; its hash finds it, whatever the path. */
async function findKey(visit: Visit): Promise<void> {
  const presented = visit.request.headers.authorization;
  if (!presented) throw new Problem(401, 'API key missing: send it as the sole value of the Authorization header.');
  const key = await visit.keys.find(presented);
  if (!key) throw new Problem(401, 'API key unknown, revoked, inactive or expired.');
  visit.key = key;
}

/** A secret key with Origin or Referer comes from a page: everyone who opens that page has it. */
function refuseBrowser({ key, request }: Visit): void {
  if (key.kind === 'secret' && (request.headers.origin !== undefined || request.headers.referer !== undefined)) {
    throw new Problem(403, 'A secret key must never be used in a browser. Revoke it and use a public key there.', {
      error_code: 'secret_key_in_browser',
    });
  }
}

function checkAddress({ key, request }: Visit): void {
  if (!isAllowed(key.allowed_ips, request.ip)) {
    throw new Problem(403, 'The calling address is not on the allow-list of this key.', { error_code: 'ip_not_allowed' });
  }
}

function checkVersion(visit: Visit): void {
  const asked = visit.request.headers['x-service-version'];
  const version = asked === undefined ? visit.key.team.api_version : String(asked);
  if (!SUPPORTED_VERSIONS.has(version)) {
    throw new Problem(400, `API version not supported: use ${[...SUPPORTED_VERSIONS].join(', ')}.`, {
      error_code: 'unsupported_api_version',
    });
  }
  visit.version = version;
}

function checkRoute({ target }: Visit): void {
  if (target.kind === 'nothing') throw notFound();
  if (target.kind === 'wrong_method') {
    const allow = target.allow.join(', ');
    throw new Problem(405, `Method not allowed: use ${allow}.`, { headers: { Allow: allow } });
  }
}

function routeOf(target: Target): Route {
  if (target.kind !== 'route') throw new Error('impossible: checkRoute let it pass');
  return target.route;
}

function checkKeyKind({ key, target }: Visit): void {
  if (routeOf(target).access === 'private' && key.kind === 'public') throw new Problem(406, 'Private Key Required');
}

function checkScope({ key, target }: Visit): void {
  const { scope } = routeOf(target);
  if (key.kind === 'restricted' && !key.scopes.includes(scope)) {
    throw new Problem(403, `The key lacks the scope ${scope}.`, { error_code: 'scope_missing' });
  }
}

function checkEnvironment({ key, target }: Visit): void {
  if (routeOf(target).liveOnly && key.environment === 'sandbox') {
    throw new Problem(403, 'This feature exists in the live environment only.', { error_code: 'live_only_feature' });
  }
}
