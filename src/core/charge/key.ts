import { type AssignedKey, assignKeys, type TakenKey } from '../../tenants/api/idempotency-store.ts';
import type { Tx } from '../../kit/sql.ts';

/** Thrown, or returned for a charge that shares a transaction, when another request holds the Idempotency-Key. */
export class KeyTaken extends Error {}

/** The Idempotency-Key of POST /payments/{id}, which is stored with the intent of the charge. */
export interface ChargeKey {
  slot: TakenKey;
  /**
   * Attempts of this request (a second provider is tried, or a transaction is run again), and the attempt that an abandoned
   * request left. If that request is alive after all, it finds the key taken when it tries its next provider.
   */
  own: string[];
  /** Whether this request has released the key with what it committed. */
  released: boolean;
}

/** An attempt for which a request takes its key. */
interface Taking {
  key: ChargeKey;
  attempt_id: string;
}

/**
 * Assigns each key to its attempt, in the transaction that stores the intent.
 * @returns the attempts that hold their keys; another request holds the keys of the others
 */
export async function takeKeys(tx: Tx, takings: readonly Taking[]): Promise<Set<string>> {
  if (takings.length === 0) return new Set();
  const keys = takings.map(({ key: { slot, own }, attempt_id }): AssignedKey => ({ ...slot, own, resource_id: attempt_id }));
  const held = await assignKeys(tx, keys);
  for (const { key, attempt_id } of takings) if (held.has(attempt_id)) key.own.push(attempt_id);
  return held;
}

/**
 * Assigns a key to an attempt.
 * @throws KeyTaken when another request holds it
 */
export async function takeKey(tx: Tx, key: ChargeKey, attempt_id: string): Promise<void> {
  if (!(await takeKeys(tx, [{ key, attempt_id }])).has(attempt_id)) throw new KeyTaken();
}
