import { setTimeout as sleep } from 'node:timers/promises';
import { randomBase62, sha256, sha256Base64 } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { Problem, unreachable } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { KeyKind } from './caller.ts';
import { isScope, PUBLIC_SCOPES, SCOPES, type Scope } from './scopes.ts';
import { insertKey, type KeyRow } from './store.ts';

const PREFIXES: Record<KeyKind, string> = { public: 'pk', secret: 'sk', restricted: 'rk' };

/** Maximum age of cached key data; `keys revoke` returns after this time. */
export const KEY_CACHE_MS = 800;

/** Maximum time from the check of a key to the start of the request's work. A request whose body takes longer is checked again. */
export const KEY_CHECK_MS = 200;

/** Waits until every node applies an already committed change to a key or its team. */
export async function untilChangeIsKnown(): Promise<void> {
  await sleep(KEY_CACHE_MS + KEY_CHECK_MS);
}

/** Returns the prefix of a key: `pk.`, `sk_test.`, …; it shows kind and environment. */
export function keyPrefix(kind: KeyKind, environment: Environment): string {
  return `${PREFIXES[kind]}${environment === 'sandbox' ? '_test' : ''}.`;
}

/** Creates a key: the prefix and 43 characters that carry 256 bits. */
export function newKey(kind: KeyKind, environment: Environment): string {
  return keyPrefix(kind, environment) + randomBase62(43);
}

/** Returns the SHA-256 of a key, under which it is stored. */
export function hashKey(key: string): Buffer {
  return sha256(key);
}

/** Returns the hash of a key as text, under which a process caches it. */
export function nameOfKey(key: string): string {
  return sha256Base64(key);
}

export interface KeyOptions {
  team_id: bigint;
  environment: Environment;
  kind: KeyKind;
  scopes: Scope[];
  allowed_ips: string[];
  expires_at: Date | null;
}

/** Stores a key by its hash. Storing the same key again has no effect. */
export async function storeKey(
  db: Queryable,
  key: string,
  options: KeyOptions,
  at: Date,
): Promise<Omit<KeyRow, 'active' | 'revoked_at'>> {
  const row = { id: newId('key', options.environment, at.getTime()), last4: key.slice(-4), created_at: at, ...options };
  await insertKey(db, { ...row, hash: hashKey(key) });
  return row;
}

/** Creates and stores a key. Its text exists only in the returned value. */
export async function createKey(db: Queryable, options: KeyOptions, at: Date) {
  const key = newKey(options.kind, options.environment);
  return { ...(await storeKey(db, key, options, at)), key };
}

/**
 * Creates and stores a key once for each idempotency key.
 * @returns null when the team made a key with it before: its text cannot be shown again
 */
export async function createKeyOnce(db: Queryable, options: KeyOptions, idempotency_key: string, at: Date) {
  const key = newKey(options.kind, options.environment);
  const row = { id: newId('key', options.environment, at.getTime()), last4: key.slice(-4), created_at: at, ...options };
  return (await insertKey(db, { ...row, hash: hashKey(key), idempotency_key })) ? { ...row, key } : null;
}

export type KeyState = 'active' | 'inactive' | 'revoked' | 'expired';

/**
 * Returns whether a key is accepted, or why not.
 * @param now milliseconds since the epoch
 */
export function keyState(key: Pick<KeyRow, 'active' | 'expires_at' | 'revoked_at'>, now: number): KeyState {
  if (key.revoked_at) return 'revoked';
  if (key.expires_at && key.expires_at.getTime() <= now) return 'expired';
  return key.active ? 'active' : 'inactive';
}

/**
 * Checks that a key can still be activated.
 * @throws Problem 409 when it is revoked or has expired
 */
export function checkNotEnded(key: KeyRow, now: number): void {
  const state = keyState(key, now);
  if (state === 'revoked') throw new Problem(409, 'The key is revoked permanently.');
  if (state === 'expired') throw new Problem(409, 'The key has expired: create a new one.');
}

/** Returns what a key may do, in scopes. */
export function rightsOf(kind: KeyKind, scopes: readonly string[]): readonly Scope[] {
  switch (kind) {
    case 'secret':
      return SCOPES;
    case 'public':
      return PUBLIC_SCOPES;
    case 'restricted':
      return scopes.filter(isScope);
    default:
      return unreachable(kind);
  }
}
