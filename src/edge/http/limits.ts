import type { FastifyReply } from 'fastify';
import { subscriberOf } from '../../kit/address-list.ts';
import { Problem } from '../../kit/errors.ts';
import type { Counted, Limit, Standing } from '../../platform/rate-limits/counting.ts';
import type { Plan, Team } from '../../tenants/teams/schema.ts';
import type { Target } from './admission.ts';

/**
 * Maximum requests in 60 seconds, by plan: docs/contract/limits.md. How they are counted: docs/decisions/0019-rate-limits.md.
 */
const LIMITS = { unauthenticated: 30, api_key: 100, ip: 120, payout_write: 20 };
const TEAM: Record<Plan, number | null> = { starter: 120, growth: 240, scale: 600, unlimited: null };
const ENDPOINTS: Record<string, number> = { payments: 30, transfers: 20, refunds: 10, customers: 50 };
const ENDPOINT_TIMES: Record<Plan, number> = { starter: 1, growth: 2, scale: 5, unlimited: 10 };
const PAYOUT_WRITES = new Set(['POST /transfers', 'POST /beneficiaries']);

/** Name of the limit in a 429 response; the limit of payout writes has no name in the contract. */
type Kind = 'payout_write' | 'endpoint' | 'api_key' | 'ip' | 'team';

export interface NamedLimit extends Limit {
  kind: Kind;
}

/** Values by which a request is counted. */
export interface Counting {
  team: Team;
  key_id: string;
  /** Normalised as in kit/address-list.ts. */
  ip: string;
  target: Target;
}

/** Returns all limits of a request with a valid key, in the order in which they are checked and reported. */
export function limitsOf({ team, key_id, ip, target }: Counting): NamedLimit[] {
  const limits: NamedLimit[] = [];
  if (target.kind === 'route' && PAYOUT_WRITES.has(`${target.route.method} ${target.route.path}`)) {
    limits.push({ kind: 'payout_write', name: `payouts:${team.id}`, ceiling: LIMITS.payout_write });
  }
  const endpoint = endpointOf(target);
  const ceiling = ENDPOINTS[endpoint];
  if (ceiling !== undefined) {
    limits.push({ kind: 'endpoint', name: `${endpoint}:${team.id}`, ceiling: ceiling * ENDPOINT_TIMES[team.plan] });
  }
  limits.push({ kind: 'api_key', name: `key:${key_id}`, ceiling: LIMITS.api_key });
  limits.push({ kind: 'ip', name: `ip:${subscriberOf(ip)}`, ceiling: LIMITS.ip });
  return [...limits, ...teamLimit(team)];
}

/** Returns the limit of the team; none for a plan without a limit. */
export function teamLimit(team: Team): NamedLimit[] {
  const ceiling = TEAM[team.plan];
  return ceiling === null ? [] : [{ kind: 'team', name: `team:${team.id}`, ceiling }];
}

/** Returns the limit of unauthenticated requests from an address. */
export function unauthenticatedLimit(ip: string): NamedLimit {
  return { kind: 'ip', name: `unauthenticated:${subscriberOf(ip)}`, ceiling: LIMITS.unauthenticated };
}

/** The resource of a path is its first segment, as written in the route. */
function endpointOf(target: Target): string {
  if (target.kind === 'nothing') return '';
  const path = target.kind === 'route' ? target.route.path : target.path;
  return path.split('/')[1] ?? '';
}

/** Sets the rate limit headers. Only the team's counter is shown to the caller. */
export function showTeam(reply: FastifyReply, limits: readonly NamedLimit[], standings: readonly Standing[]): void {
  const index = limits.findIndex(({ kind }) => kind === 'team');
  if (index === -1) return;
  const { ceiling } = limits[index] as NamedLimit;
  const { count, resets_at } = standings[index] as Standing;
  reply
    .header('X-RateLimit-Limit', String(ceiling))
    .header('X-RateLimit-Remaining', String(Math.max(0, ceiling - count)))
    .header('X-RateLimit-Reset', String(Math.ceil(resets_at / 1000)));
}

/**
 * Rejects a request that exceeds a limit.
 * @param now milliseconds since the epoch
 * @throws Problem 429 when a limit is exceeded
 */
export function rejectExceeded(limits: readonly NamedLimit[], { tripped, standings }: Counted, now: number): void {
  if (tripped === null) return;
  const { kind, ceiling } = limits[tripped] as NamedLimit;
  const retry_after = Math.max(1, Math.ceil(((standings[tripped] as Standing).resets_at - now) / 1000));
  const wait = { retry_after, retry_after_human: new Date(retry_after * 1000).toISOString().slice(11, 19) };
  const headers = { 'Retry-After': String(retry_after) };
  if (kind === 'payout_write') throw new Problem(429, `Merchant limit ${ceiling}`, { extra: wait, headers });
  throw new Problem(429, `Too many requests: at most ${ceiling} in 60 seconds.`, { extra: { type: kind, ...wait }, headers });
}
