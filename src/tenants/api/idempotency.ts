import type { Caller } from '../keys/caller.ts';
import { sha256 } from '../../kit/crypto.ts';
import { invalid, must, type Problem } from '../../kit/errors.ts';
import { canonicalJson } from '../../kit/json.ts';
import type { Db, Queryable, Tx } from '../../kit/sql.ts';
import { rolledBack } from '../../platform/db/rolled-back.ts';
import { versions } from '../versions/registry.ts';
import { findKey, type KeyRef, type KeyRow, storeResponses, takeKey } from './idempotency-store.ts';
import type { Call, Reply } from './route.ts';

/** How long a response is replayed. The key itself can never be reused (docs/contract/idempotency.md). */
export const REPLAY_MS = 24 * 3_600_000;

type Request = Pick<Call, 'params' | 'sync' | 'sent_body' | 'body'> & { caller: Pick<Caller, 'kind'> };

/**
 * Returns the SHA-256 of everything that determines what the request does: path parameters, X-Sync and the body as canonical
 * JSON, in the API version in which it was sent, so that a release with another translation does not turn a retry into a
 * different request. Whether the key is public counts too, see {@link isSameRequest}.
 */
export function requestHash(call: Request): Buffer {
  const request = [call.params, call.sync, call.sent_body ?? call.body ?? null];
  return sha256(canonicalJson(call.caller.kind === 'public' ? [...request, 'public'] : request));
}

/**
 * Returns whether the call repeats the request stored with this hash. A response to a secret or restricted key contains data
 * that must not reach page source, so a public key never matches such a request. The reverse is allowed.
 */
export function isSameRequest(call: Request, stored: Buffer): boolean {
  return stored.equals(requestHash(call)) || stored.equals(requestHash({ ...call, caller: { kind: 'public' } }));
}

/** Serialises a response for storage with its API version, because a later release may have a newer one. */
export function storedResponse(reply: Reply): string {
  return JSON.stringify({ ...reply, version: versions.newest });
}

/** Returns the error 422 for a key that another request has used. */
export function reusedKey(): Problem {
  return invalid({ idempotency_key: ['was already used with a different payload'] }, 'idempotency_key_reused');
}

function expiredKey() {
  return invalid(
    { idempotency_key: ['was used more than 24 hours ago and is spent: choose a new one for a new request'] },
    'idempotency_key_reused',
  );
}

/** Builds the error for a used key whose response was removed by the erasure of a person. */
export function erasedKey(): Problem {
  return invalid(
    { idempotency_key: ['was used for a person whose data was erased, and is spent: choose a new one for a new request'] },
    'idempotency_key_reused',
  );
}

/**
 * Checks that the call may be answered with the stored response of its key.
 * @throws Problem 422 when the key was used with another request, or more than 24 hours ago
 */
export function checkReplay(call: Request & Pick<Call, 'at'>, used: { request_hash: Buffer; created_at: Date }): void {
  if (!isSameRequest(call, used.request_hash)) throw reusedKey();
  if (call.at - used.created_at.getTime() > REPLAY_MS) throw expiredKey();
}

/**
 * Runs the work once per Idempotency-Key, inside the caller's transaction. A second request with the same key waits on the
 * key's row until the first commits, then replays its response. When the work throws, the rollback also removes the key, so
 * only a success consumes it. Without the header the work always runs. For work that fits in one transaction; the other two ways
 * are compared in docs/decisions/0058-idempotency-paths.md.
 * @param route name that the key is scoped to, one per route
 * @param stored returns the part of the response that may be stored, without secrets
 * @returns the response of the work, or the stored one
 */
export async function once(
  tx: Tx,
  call: Call,
  route: string,
  work: () => Promise<Reply>,
  stored: (reply: Reply) => Reply = (reply) => reply,
): Promise<Reply> {
  const key = call.idempotency_key;
  if (key === null) return work();
  const slot = { team_id: call.caller.team.id, route, key, request_hash: requestHash(call), created_at: new Date(call.at) };
  if (!(await takeKey(tx, slot))) return replay(must(await findKey(tx, slot), 'a key that conflicted is there'), call);
  await call.verifyFirst?.();
  const reply = await work();
  const { team_id } = slot;
  await storeResponses(tx, [{ team_id, route, key, answer: storedResponse(stored(reply)), resource_id: shownIn(reply) }]);
  return reply;
}

/** Content of a key that is rolled back: no request can match it. */
const NO_REQUEST = Buffer.alloc(0);

/**
 * Runs work while no request has the key: a request that has taken it is waited for, and one that takes it waits. The key stays unused.
 * @returns null when the key is taken
 */
export async function whileUnused<T>(db: Db, slot: KeyRef, at: number, work: () => Promise<T>): Promise<{ done: T } | null> {
  let result: { done: T } | null = null;
  await rolledBack(db, async (tx) => {
    const isUnused = await takeKey(tx, { ...slot, request_hash: NO_REQUEST, created_at: new Date(at) });
    result = isUnused ? { done: await work() } : null;
  });
  return result;
}

/** Returns the id of the object in a response; null when it has none. An erasure finds stored responses by it. */
export function shownIn({ body }: Reply): string | null {
  const shown = Object.values(body).find((value) => typeof value === 'object' && value !== null && 'id' in value);
  return shown ? String((shown as { id: unknown }).id) : null;
}

function replay(row: KeyRow, call: Call): Reply {
  checkReplay(call, row);
  if (row.answer === null) throw erasedKey();
  const reply = JSON.parse(row.answer) as Reply;
  return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
}

/**
 * Returns the object that an earlier request created under the key; null when there is none. Keys are never reused, so the result does
 * not depend on the time since then.
 */
export async function createdBefore(
  db: Queryable,
  slot: KeyRef,
  request: Request,
): Promise<{ resource_id: string | null } | null> {
  const row = await findKey(db, slot);
  if (!row || !isSameRequest(request, row.request_hash)) return null;
  return { resource_id: row.resource_id };
}
