import { packWhole, unpack } from '../../kit/packing.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

const ROUTE = 'POST /payments/{id}';

/** The Idempotency-Key of a charge request. */
export interface ChargeKey {
  team_id: bigint;
  key: string;
  request_hash: Buffer;
  created_at: Date;
}

interface ChargeKeyRow extends ChargeKey {
  resource_id: string;
  answer: string | null;
}

/** Returns a stored key with its response, or undefined when the key is unused. */
export async function findChargeKey(db: Queryable, team_id: bigint, key: string): Promise<ChargeKeyRow | undefined> {
  const row = await db.maybe<Omit<ChargeKeyRow, 'answer'> & { answer: Buffer | null }>(sql`
    select team_id, key, request_hash, resource_id, answer, created_at from idempotency_keys
    where team_id = ${team_id} and route = ${ROUTE} and key = ${key}`);
  return row && { ...row, answer: row.answer && unpack(row.answer) };
}

/**
 * Assigns the key to an attempt, or reassigns it from an earlier attempt.
 * @param own attempts from which the key may be reassigned
 * @returns false when another request holds the key
 */
export async function takeChargeKey(tx: Tx, slot: ChargeKey, attempt_id: string, own: readonly string[]): Promise<boolean> {
  const held = await tx.run(sql`
    insert into idempotency_keys (team_id, route, key, request_hash, resource_id, created_at)
    values (${slot.team_id}, ${ROUTE}, ${slot.key}, ${slot.request_hash}, ${attempt_id}, ${slot.created_at})
    on conflict (team_id, route, key) do update set resource_id = excluded.resource_id
    where idempotency_keys.resource_id = any(${[...own]})`);
  return held === 1;
}

/** Stores the response of the request with its key, for replays. */
export async function storeChargeResponse(db: Queryable, slot: ChargeKey, answer: string): Promise<void> {
  await db.run(sql`
    update idempotency_keys set answer = ${packWhole(answer)}
    where team_id = ${slot.team_id} and route = ${ROUTE} and key = ${slot.key}`);
}

/**
 * Deletes a key that has no stored response.
 * @param own attempts of the request that releases the key; a key that another request holds by now is kept
 */
export async function deleteChargeKey(db: Queryable, slot: ChargeKey, own: readonly string[]): Promise<void> {
  await db.run(sql`
    delete from idempotency_keys
    where team_id = ${slot.team_id} and route = ${ROUTE} and key = ${slot.key} and answer is null
      and resource_id = any(${[...own]})`);
}
