import { setTimeout as sleep } from 'node:timers/promises';
import { isSameRequest, keptAnswer, requestHash, REPLAY_MS, reusedKey, spentKey } from '../http/idempotency.ts';
import type { Call, Reply } from '../http/route.ts';
import { Problem } from '../kit/errors.ts';
import type { ChargeJournal } from './charge.ts';
import { deleteChargeKey, findChargeKey, holdChargeKey, storeChargeAnswer } from './charge-keys-store.ts';

const WAIT_MS = 30_000;
const LOOK_MS = 100;

/**
 * What came of a request whose answer was not kept. `left`: it did nothing that a second request could repeat to harm.
 * @param since when the request came that took the key
 */
export type Recall = (attempt_id: string, since: Date) => Promise<Reply | 'under_way' | 'left'>;

/** Thrown inside the transaction that found the key taken, to undo it. */
class KeyTaken extends Error {}

/**
 * Charges once for each Idempotency-Key. A charge spans several transactions, so the key is stored with the intent and
 * gets its answer afterwards: a second request waits for that answer. Should the first one's process have died in
 * between, the answer is told from what the attempt has become; where it left nothing, the key goes on to whoever asks
 * next. A further step of the payer takes the key for the attempt that it continues.
 * @param work charges, calling the journal in the transaction that stores the intent
 * @param recall tells what came of an attempt
 */
export async function chargeOnce(
  call: Call,
  work: (journal: ChargeJournal | undefined) => Promise<Reply>,
  recall: Recall,
): Promise<Reply> {
  const key = call.idempotency_key;
  if (key === null) return work(undefined);
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const earlier = await earlierAnswer(call, key, recall);
    if ('answer' in earlier) return earlier.answer;
    try {
      return await first(call, key, earlier.abandoned, work);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      if (performance.now() > deadline)
        throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
      await sleep(LOOK_MS);
    }
  }
}

async function first(
  call: Call,
  key: string,
  abandoned: string[],
  work: (journal: ChargeJournal) => Promise<Reply>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const slot = { team_id: team.id, key, request_hash: requestHash(call), created_at: new Date(call.at) };
  // Attempts of this very request (a second provider that is tried, a transaction that is run again after a deadlock), and the
  // one that another request left: should it live after all, it finds the key taken when it goes on to its next provider.
  const own = abandoned;
  try {
    const reply = await work({
      started: async (tx, attempt_id) => {
        if (!(await holdChargeKey(tx, slot, attempt_id, own))) throw new KeyTaken();
        own.push(attempt_id);
      },
      // Nothing is left of which the answer could be told.
      refused: (tx) => deleteChargeKey(tx, slot, own),
    });
    await storeChargeAnswer(store.db, slot, keptAnswer(reply));
    return reply;
  } catch (error) {
    // Only a success consumes a key: after a decline the same key may be used again.
    if (own.length > 0 && error instanceof Problem) await deleteChargeKey(store.db, slot, own);
    throw error;
  }
}

/**
 * Waits while an earlier request is under way.
 * @returns the answer to replay; or that the key is free, with the attempt for which it was held in vain
 */
async function earlierAnswer(call: Call, key: string, recall: Recall): Promise<{ answer: Reply } | { abandoned: string[] }> {
  const { team, store } = call.caller;
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const row = await findChargeKey(store.db, team.id, key);
    if (!row) return { abandoned: [] };
    if (!isSameRequest(call, row.request_hash)) throw reusedKey();
    if (call.at - row.created_at.getTime() > REPLAY_MS) throw spentKey();
    const recalled = row.answer ? (JSON.parse(row.answer) as Reply) : await recall(row.resource_id, row.created_at);
    if (recalled === 'left') return { abandoned: [row.resource_id] };
    if (recalled !== 'under_way') return { answer: { ...recalled, headers: { 'Idempotent-Replayed': 'true' } } };
    if (performance.now() > deadline)
      throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
    await sleep(LOOK_MS);
  }
}
