import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, Problem } from '../../kit/errors.ts';
import { subscriberOf } from '../../kit/address-list.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import type { FoundKey, KeyRing } from '../../tenants/keys/ring.ts';
import { isScope } from '../../tenants/keys/scopes.ts';
import { keyPrefix } from '../../tenants/keys/service.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { versions } from '../../tenants/versions/registry.ts';
import { hint } from '../../tenants/api/hints.ts';
import { clientAddress } from './client-address.ts';
import type { HttpDeps } from './deps.ts';
import { missingKeyHint, pathHint, wrongKeyHint } from './hints.ts';
import { limitsOf, rejectExceeded, showTeam, unauthenticatedLimit, teamLimit } from './limits.ts';
import type { Route } from '../../tenants/api/route.ts';

/**
 * Result of routing a request: an operation, a path without that method, or nothing. `resources` are the first segments of all
 * paths.
 */
export type Target =
  | { kind: 'route'; route: Route }
  | { kind: 'wrong_method'; path: string; allow: string[] }
  | { kind: 'nothing'; resources: readonly string[] };

const AUTHORIZATION = 'authorization';

interface Visit {
  deps: HttpDeps;
  keys: KeyRing;
  request: FastifyRequest;
  reply: FastifyReply;
  target: Target;
  ip: string;
  key: FoundKey;
  /** Whether the limits were counted, so that the response already shows the team's counter. */
  counted: boolean;
  version: string;
}

/**
 * Checks of every API request, before its body is read, in the order of docs/contract/order-of-checks.md. Each throws the
 * Problem of its step; the first failure determines the response.
 */
const CHECKS: ((visit: Visit) => void | Promise<void>)[] = [
  findKey,
  refuseBrowser,
  checkAddress,
  checkLimits,
  checkVersion,
  checkRoute,
  checkKeyKind,
  checkScope,
  checkEnvironment,
];

/**
 * Admits a request.
 * @returns the caller and the API version
 * @throws Problem 401, 403, 429, 400, 404, 405 or 406
 */
export async function admit(
  deps: HttpDeps,
  keys: KeyRing,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  target: Target,
): Promise<{ caller: Caller; version: string }> {
  const visit = { deps, keys, request, reply, target, ip: clientAddress(request), counted: false } as Visit;
  try {
    for (const check of CHECKS) {
      const pending = check(visit);
      if (pending) await pending;
    }
  } catch (error) {
    await showUncounted(visit);
    throw error;
  }
  return { caller: callerOf(deps, visit.key), version: visit.version };
}

/** Checks of a key that are repeated when the body arrives late. */
const CHECKS_OF_KEY = [checkAddress, checkKeyKind, checkScope];

/**
 * Admits a request again after its body arrived late, because its key may have been revoked since the headers arrived.
 * @throws Problem 401, 403 or 406
 */
export async function readmit(deps: HttpDeps, keys: KeyRing, request: FastifyRequest, target: Target): Promise<Caller> {
  const presented = presentedKeys(request)[0] as string;
  const key = await keys.find(presented);
  if (!key) throw unknownKey(presented);
  const visit = { deps, keys, request, target, ip: clientAddress(request), key } as Visit;
  for (const check of CHECKS_OF_KEY) check(visit);
  return callerOf(deps, key);
}

function callerOf(deps: HttpDeps, key: FoundKey): Caller {
  return {
    team: key.team,
    store: deps.stores[key.environment].of(key.team.id),
    key_id: key.id,
    kind: key.kind,
    scopes: key.scopes.filter(isScope),
  };
}

function unknownKey(presented: string): Problem {
  return new Problem(401, 'API key unknown, revoked, inactive or expired.', { hint: wrongKeyHint(presented) });
}

/**
 * Finds the API key, which must be the sole value of a single Authorization header, by its hash. An address that presents many
 * keys unknown to this process is rejected before the database is queried.
 */
async function findKey(visit: Visit): Promise<void> {
  const [presented, ...more] = presentedKeys(visit.request);
  if (more.length > 0) {
    await countUnauthenticated(visit);
    throw new Problem(401, 'The request has more than one Authorization header: send the API key as the sole value of one.');
  }
  if (presented) refuseGuessing(visit, presented);
  const key = presented ? await visit.keys.find(presented) : undefined;
  if (key) {
    visit.key = key;
    const { team, environment, id } = key;
    visit.request.made_by = { team_id: team.id, environment, key_id: id };
    return;
  }
  await countUnauthenticated(visit);
  if (presented) throw unknownKey(presented);
  const missing = 'API key missing: send it as the sole value of the Authorization header.';
  throw new Problem(401, missing).hinted(missingKeyHint(visit.request));
}

/** Returns every Authorization header as sent: Node keeps the first and drops the others. */
function presentedKeys({ raw }: FastifyRequest): string[] {
  const { rawHeaders: headers } = raw;
  const found: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] as string;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) found.push(headers[i + 1] as string);
  }
  return found;
}

function refuseGuessing({ deps, keys, request, ip }: Visit, presented: string): void {
  const wait_s = deps.limits ? keys.waitFor(presented, subscriberOf(ip)) : 0;
  if (wait_s === 0) return;
  const limit = unauthenticatedLimit(ip);
  const standing = { count: limit.ceiling, resets_at: request.at + wait_s * 1000 };
  rejectExceeded([limit], { tripped: 0, standings: [standing] }, request.at);
}

/** Limits unauthenticated requests by address. Callers with a valid key at the same address are counted separately. */
async function countUnauthenticated({ deps, request, ip }: Visit): Promise<void> {
  if (!deps.limits) return;
  const limit = unauthenticatedLimit(ip);
  rejectExceeded([limit], await deps.limits.takeUnauthenticated(limit, request.at), request.at);
}

/** A secret key with Origin or Referer was sent from a page, so everyone who opens that page has the key. */
function refuseBrowser({ deps, key, request }: Visit): void {
  if (key.kind === 'secret' && (request.headers.origin !== undefined || request.headers.referer !== undefined)) {
    deps.keyAlerts.raise(key);
    throw new Problem(403, 'A secret key must never be used in a browser. Revoke it and use a public key there.', {
      error_code: 'secret_key_in_browser',
    });
  }
}

function checkAddress({ key, ip }: Visit): void {
  if (key.places.size > 0 && !key.places.has(ip)) {
    throw new Problem(403, 'The calling address is not on the allow-list of this key.', { error_code: 'ip_not_allowed' });
  }
}

async function checkLimits(visit: Visit): Promise<void> {
  const { deps, request, reply, target, ip, key } = visit;
  visit.counted = true;
  if (!deps.limits) return;
  const limits = limitsOf({ team: key.team, key_id: key.id, ip, target });
  const counted = await deps.limits.take(limits, request.at);
  showTeam(reply, limits, counted.standings);
  rejectExceeded(limits, counted, request.at);
}

/** Shows the team's counter on every response to a known key, also when the request was rejected before it was counted. */
async function showUncounted({ deps, request, reply, key, counted }: Visit): Promise<void> {
  if (!deps.limits || !key || counted) return;
  const limits = teamLimit(key.team);
  if (limits.length > 0) showTeam(reply, limits, await deps.limits.look(limits, request.at));
}

function checkVersion(visit: Visit): void {
  const asked = visit.request.headers['x-service-version'];
  const version = asked === undefined ? visit.key.team.api_version : String(asked);
  if (!versions.has(version)) {
    throw new Problem(400, `API version not supported: use ${versions.all.join(', ')}.`, {
      error_code: 'unsupported_api_version',
    });
  }
  visit.version = version;
  visit.reply.header('X-Service-Version', version);
}

function checkRoute({ target, request }: Visit): void {
  if (target.kind === 'nothing') throw notFound().hinted(pathHint(request.url, target.resources));
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
  if (key.kind !== 'public' || takesPublicKey(routeOf(target), key.team)) return;
  const [own, secret, restricted] = (['public', 'secret', 'restricted'] as const).map((kind) => keyPrefix(kind, key.environment));
  throw new Problem(406, 'Private Key Required').hinted(hint('secret_key', { own, secret, restricted }));
}

function takesPublicKey({ access, pays }: Route, { public_keys }: Team): boolean {
  return access === 'public' && (pays || public_keys === 'contract');
}

function checkScope({ key, target }: Visit): void {
  const { scope } = routeOf(target);
  if (key.kind === 'restricted' && !key.scopes.includes(scope)) {
    throw new Problem(403, `The key lacks the scope ${scope}.`, { error_code: 'scope_missing', hint: hint('scope', { scope }) });
  }
}

function checkEnvironment({ key, target }: Visit): void {
  if (routeOf(target).liveOnly && key.environment === 'sandbox') {
    throw new Problem(403, 'This feature exists in the live environment only.', {
      error_code: 'live_only_feature',
      hint: hint('live_key', { own: keyPrefix(key.kind, key.environment) }),
    });
  }
  if (routeOf(target).sandboxOnly && key.environment === 'live') throw new Problem(501, 'Not available in the live environment.');
}
