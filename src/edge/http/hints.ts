import type { FastifyRequest } from 'fastify';
import type { Environment } from '../../kit/environment.ts';
import { Problem } from '../../kit/errors.ts';
import { type IdPrefix, idPrefix } from '../../kit/ids.ts';
import { nearest } from '../../kit/nearest.ts';
import { hint } from '../../tenants/api/hints.ts';
import type { Call } from '../../tenants/api/route.ts';

/**
 * Hints are derived only from the text of the request, never from a look-up, so that they reveal nothing about other teams. They
 * repeat no key.
 */

const SCHEMES = ['Bearer', 'Basic', 'Token', 'Digest', 'ApiKey'];
const OTHER_HEADERS = { 'x-api-key': 'X-Api-Key', 'api-key': 'Api-Key', 'x-auth-token': 'X-Auth-Token' };

/** Returns the hint for a key that was sent and not found. */
export function wrongKeyHint(presented: string): string {
  const scheme = SCHEMES.find((name) => presented.toLowerCase().startsWith(`${name.toLowerCase()} `));
  if (scheme) return hint('key_scheme', { scheme });
  if (/^["'].*["']$/.test(presented)) return hint('key_quoted');
  return hint(/^[psr]k(_test)?\./.test(presented) ? 'key_complete' : 'key_form');
}

/** Returns the hint for a request without a key; undefined when nothing in it looks like one. */
export function missingKeyHint({ headers }: FastifyRequest): string | undefined {
  const other = Object.entries(OTHER_HEADERS).find(([name]) => headers[name] !== undefined);
  return other && hint('key_elsewhere', { header: other[1] });
}

/** Prefixes of the ids in a path, by its first segment. Paths with an id of anything else are left out. */
const PREFIXES: Record<string, IdPrefix> = {
  payments: 'trx',
  refunds: 'rfd',
  transfers: 'po',
  beneficiaries: 'ben',
  customers: 'cus',
  accounts: 'acct',
  subaccounts: 'acct',
  invoices: 'inv',
  links: 'lnk',
  disputes: 'dsp',
  webhooks: 'wh',
  events: 'evt',
};
/** Fields of bodies that name another resource. */
const ID_FIELDS = ['payment', 'customer_id', 'beneficiary', 'recipient'];
const ID = /^[a-z]{2,5}_(test_)?[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Adds the hint to a 404 whose request names an id of the other environment, or of another kind. Any other error is returned unchanged.
 * @param path of the route
 */
export function withIdHint(error: unknown, path: string, environment: Environment, { params, sync, body }: Ids): unknown {
  if (!(error instanceof Problem) || error.status !== 404) return error;
  const named = [
    ...Object.values(params),
    sync,
    ...ID_FIELDS.map((field) => (body as Record<string, unknown> | undefined)?.[field]),
  ];
  const theirs = named.map(environmentOf).find((found) => found !== null && found !== environment);
  if (theirs) return error.hinted(hint('other_environment', { theirs, ours: environment }));
  const prefix = PREFIXES[path.split('/')[1] ?? ''];
  if (!prefix || params.id === undefined || params.id.startsWith(idPrefix(prefix, environment))) return error;
  return error.hinted(hint('id_form', { prefix: idPrefix(prefix, environment) }));
}

/** Places of a request that can name ids. */
export interface Ids extends Pick<Call, 'params' | 'sync'> {
  body: unknown;
}

function environmentOf(text: unknown): Environment | null {
  const match = typeof text === 'string' && text.length <= 64 ? ID.exec(text) : null;
  return match && (match[1] ? 'sandbox' : 'live');
}

/**
 * Returns the hint for a path that does not exist; undefined when none is similar.
 * @param url as requested
 * @param known first segments of the paths of all routes
 */
export function pathHint(url: string, known: readonly string[]): string | undefined {
  const [first = '', ...rest] = (url.split('?')[0] ?? '').split('/').slice(1);
  // The first segment exists, so the fault is in a later segment.
  if (known.includes(first) && rest.join('') !== '') return undefined;
  const resource = [first, ...rest].find((segment) => !/^(api|v\d{1,4}|)$/.test(segment)) ?? '';
  const near = nearest(resource, known);
  return near === null ? undefined : hint('path', { path: `/${near}` });
}

/** Returns the hint for a body that is not JSON. */
export function syntaxHint(text: string): string {
  return hint(/^\s*(--|[\w.[\]%+-]+=)/.test(text.slice(0, 200)) ? 'body_form' : 'body_syntax');
}

/**
 * Returns the body, which has to be a JSON object.
 * @throws Problem 400
 */
export function objectBody(body: unknown): Record<string, unknown> {
  if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>;
  const name = body === undefined ? 'body_missing' : Array.isArray(body) ? 'body_list' : 'body_value';
  throw new Problem(400, 'The body must be a JSON object.', { hint: hint(name) });
}
