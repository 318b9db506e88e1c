import { setTimeout as sleep } from 'node:timers/promises';
import { keptAnswer, requestHash, REPLAY_MS, reusedKey, spentKey } from '../http/idempotency.ts';
import type { Call, Reply } from '../http/route.ts';
import { Problem } from '../kit/errors.ts';
import type { ChargeJournal } from './charge.ts';
import { deleteChargeKey, findChargeKey, holdChargeKey, storeChargeAnswer } from './charge-keys-store.ts';

const WAIT_MS = 30_000;
const LOOK_MS = 100;

/** Thrown inside the transaction that found the key taken, to undo it. */
class KeyTaken extends Error {}

/**
 * Charges once for each Idempotency-Key. A charge spans several transactions, so the key is stored with the intent and
 * gets its answer afterwards: a second request waits for that answer. Should the first one's process have died in
 * between, the answer is told from what the attempt has become.
 * @param work charges, calling the journal in the transaction that stores the intent
 * @param recall tells the answer of an attempt that was handed over; null while it is not
 */
export async function chargeOnce(
  call: Call,
  work: (journal: ChargeJournal | undefined) => Promise<Reply>,
  recall: (attempt_id: string) => Promise<Reply | null>,
): Promise<Reply> {
  const key = call.idempotency_key;
  if (key === null) return work(undefined);
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const earlier = await earlierAnswer(call, key, recall);
    if (earlier) return earlier;
    try {
      return await first(call, key, work);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      if (Date.now() > deadline) throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
      await sleep(LOOK_MS);
    }
  }
}

async function first(call: Call, key: string, work: (journal: ChargeJournal) => Promise<Reply>): Promise<Reply> {
  const { team, store } = call.caller;
  const slot = { team_id: team.id, key, request_hash: requestHash(call), created_at: new Date(call.at) };
  // Attempts of this very request: a second provider that is tried, a transaction that is run again after a deadlock.
  const own: string[] = [];
  try {
    const reply = await work({
      started: async (tx, attempt_id) => {
        if (!(await holdChargeKey(tx, slot, attempt_id, own))) throw new KeyTaken();
        own.push(attempt_id);
      },
    });
    await storeChargeAnswer(store.db, slot, keptAnswer(reply));
    return reply;
  } catch (error) {
    // Only a success consumes a key: after a decline the same key may be used again.
    if (own.length > 0 && error instanceof Problem) await deleteChargeKey(store.db, slot);
    throw error;
  }
}

/** @returns the answer to replay, or null when the key is free; waits while the first request is under way */
async function earlierAnswer(
  call: Call,
  key: string,
  recall: (attempt_id: string) => Promise<Reply | null>,
): Promise<Reply | null> {
  const { team, store } = call.caller;
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const row = await findChargeKey(store.db, team.id, key);
    if (!row) return null;
    if (!row.request_hash.equals(requestHash(call))) throw reusedKey();
    if (call.at - row.created_at.getTime() > REPLAY_MS) throw spentKey();
    const reply = row.answer ? (JSON.parse(row.answer) as Reply) : await recall(row.resource_id);
    if (reply) return { ...reply, headers: { 'Idempotent-Replayed': 'true' } };
    if (Date.now() > deadline) throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
    await sleep(LOOK_MS);
  }
}
