import { setTimeout as sleep } from 'node:timers/promises';
import { randomBase62, sha256 } from '../kit/crypto.ts';
import type { Environment } from '../kit/environment.ts';
import { newId } from '../kit/ids.ts';
import type { Queryable } from '../kit/sql.ts';
import type { KeyKind } from './caller.ts';
import type { Scope } from './scopes.ts';
import { insertKey, type KeyRow } from './store.ts';

const PREFIXES: Record<KeyKind, string> = { public: 'pk', secret: 'sk', restricted: 'rk' };

/** How long a process may go on using what it knows of a key; `keys revoke` returns after this. */
export const KEY_CACHE_MS = 800;

/** For a request that was just being checked, and timers that ring early. */
const MARGIN_MS = 200;

/** Waits until every node has noticed a change to a key or its team that is committed by now. */
export async function untilChangeIsKnown(): Promise<void> {
  await sleep(KEY_CACHE_MS + MARGIN_MS);
}

/** `pk.`, `sk_test.`, …: kind and environment can be read off the key itself. */
export function keyPrefix(kind: KeyKind, environment: Environment): string {
  return `${PREFIXES[kind]}${environment === 'sandbox' ? '_test' : ''}.`;
}

/** A new key: prefix and 43 characters that hold 256 bits. */
export function newKey(kind: KeyKind, environment: Environment): string {
  return keyPrefix(kind, environment) + randomBase62(43);
}

export function hashKey(key: string): Buffer {
  return sha256(key);
}

export interface KeyOptions {
  team_id: bigint;
  environment: Environment;
  kind: KeyKind;
  scopes: Scope[];
  allowed_ips: string[];
  expires_at: Date | null;
}

/** Stores a key by its hash; storing the same key again changes nothing. */
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

/** A new key, stored; its text is in the answer and nowhere else. */
export async function createKey(db: Queryable, options: KeyOptions, at: Date) {
  const key = newKey(options.kind, options.environment);
  return { ...(await storeKey(db, key, options, at)), key };
}
