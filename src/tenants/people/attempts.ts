import { subscriberOf } from '../../kit/address-list.ts';
import type { Queryable } from '../../kit/sql.ts';
import { countAttempts } from './failure-store.ts';

/** Period of all limits. */
const PERIOD_MS = 15 * 60_000;

/** A limit: a name in the table of failures, and the maximum number of attempts in a period. */
export interface Limit {
  name: string;
  max: number;
}

/**
 * Attempts from one address; of IPv6, from the /64 that one subscriber has. Phones of a mobile operator share addresses, and so do the
 * people of an office.
 */
export function byAddress(ip: string): Limit {
  return { name: `address|${subscriberOf(ip)}`, max: 100 };
}

/** Passwords for one account from browsers that have not signed in to it. */
export function byAccount(account: string): Limit {
  return { name: `account|${account}`, max: 10 };
}

/**
 * Passwords from a browser in which the person has signed in. It has a separate limit, so that an attacker who uses up the limit of
 * the account does not lock its owner out.
 */
export function byDevice(user_id: string, device: string): Limit {
  return { name: `device|${user_id}|${device}`, max: 10 };
}

/** One-time codes of one person: a guess succeeds with a chance of three in a million. */
export function byCode(user_id: string): Limit {
  return { name: `code|${user_id}`, max: 5 };
}

/** Mails to one address that are requested without a session. */
export function byMail(account: string): Limit {
  return { name: `mail|${account}`, max: 3 };
}

/** Invitations that a team sends. */
export function byInvitations(team_id: bigint): Limit {
  return { name: `invitations|${team_id}`, max: 30 };
}

/**
 * Counts an attempt before it is made, so that attempts at the same time cannot exceed the limits together.
 * @returns milliseconds until the next attempt is permitted; 0 when this one is
 */
export async function attempt(db: Queryable, limits: readonly Limit[]): Promise<number> {
  const max = new Map(limits.map((limit) => [limit.name, limit.max]));
  const counts = await countAttempts(db, [...max.keys()], PERIOD_MS);
  const over = counts.filter(({ name, failures }) => failures > (max.get(name) ?? 0));
  return Math.max(0, ...over.map(({ wait_ms }) => wait_ms));
}
