import { setTimeout as sleep } from 'node:timers/promises';
import { checkReplay, requestHash, storedResponse } from '../../tenants/api/idempotency.ts';
import { assignKey, findKey, releaseKey, storeResponse } from '../../tenants/api/idempotency-store.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { ChargeKeyHooks } from './charge.ts';

const ROUTE = 'POST /payments/{id}';

const WAIT_MS = 30_000;
const CHECK_INTERVAL_MS = 100;

/**
 * Reconstructs the result of a request whose response was not stored. `abandoned`: the request had no effect that a repetition could
 * duplicate.
 * @param since when the request that took the key arrived
 */
export type Recall = (attempt_id: string, since: Date) => Promise<Reply | 'under_way' | 'abandoned'>;

/** Thrown inside the transaction that found the key taken, to roll it back. */
class KeyTaken extends Error {}

/**
 * Charges once for each Idempotency-Key. A charge spans several transactions, so the key is stored with the intent and its
 * response is added afterwards; a second request waits for that response. If the process of the first request died in between,
 * the response is reconstructed from the current state of the attempt; if that request had no effect, the next request takes
 * the key. A further step of the payer takes the key for the attempt that it continues. The other two ways of idempotency are
 * compared in docs/decisions/0058-idempotency-paths.md.
 * @param work charges, calling the hooks in the transaction that stores the intent
 * @param recall reconstructs the result from an attempt
 * @returns the response, with the header Idempotent-Replayed when it is a replay
 * @throws Problem for a key that was used with another request or has expired, 500 when an earlier request with the key does
 * not finish within 30 seconds
 */
export async function chargeOnce(
  call: Call,
  work: (hooks: ChargeKeyHooks | undefined) => Promise<Reply>,
  recall: Recall,
): Promise<Reply> {
  const key = call.idempotency_key;
  if (key === null) return work(undefined);
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const earlier = await earlierResponse(call, key, recall);
    if ('answer' in earlier) return earlier.answer;
    try {
      return await first(call, key, earlier.abandoned, work);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      if (performance.now() > deadline)
        throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
      await sleep(CHECK_INTERVAL_MS);
    }
  }
}

async function first(
  call: Call,
  key: string,
  abandoned: string[],
  work: (hooks: ChargeKeyHooks) => Promise<Reply>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const slot = { team_id: team.id, route: ROUTE, key, request_hash: requestHash(call), created_at: new Date(call.at) };
  // Attempts of this request (a second provider is tried, or a transaction is retried after a deadlock), and the attempt that
  // an abandoned request left. If that request is alive after all, it finds the key taken when it tries its next provider.
  const own = abandoned;
  try {
    const reply = await work({
      started: async (tx, attempt_id) => {
        if (!(await assignKey(tx, slot, attempt_id, own))) throw new KeyTaken();
        own.push(attempt_id);
      },
      // Nothing remains from which a response could be reconstructed.
      refused: (tx) => releaseKey(tx, slot, own),
    });
    await storeResponse(store.db, slot, storedResponse(reply), null);
    return reply;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Only a success consumes a key: after a decline the same key may be used again.
    if (own.length > 0) await releaseKey(store.db, slot, own);
    // A concurrent request may have taken the key after this one had found it free, and have changed the payment. That request's
    // response is the one to return.
    else if (await findKey(store.db, slot)) throw new KeyTaken();
    throw error;
  }
}

/**
 * Waits while an earlier request with the same key is under way.
 * @returns the response to replay; or, when the key is free, the attempts that abandoned requests assigned it to
 */
async function earlierResponse(call: Call, key: string, recall: Recall): Promise<{ answer: Reply } | { abandoned: string[] }> {
  const { team, store } = call.caller;
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const row = await findKey(store.db, { team_id: team.id, route: ROUTE, key });
    if (!row) return { abandoned: [] };
    checkReplay(call, row);
    const attempt_id = must(row.resource_id, 'the key of a charge names its attempt');
    const recalled = row.answer ? (JSON.parse(row.answer) as Reply) : await recall(attempt_id, row.created_at);
    if (recalled === 'abandoned') return { abandoned: [attempt_id] };
    if (recalled !== 'under_way') return { answer: { ...recalled, headers: { 'Idempotent-Replayed': 'true' } } };
    if (performance.now() > deadline)
      throw new Problem(500, 'A request with the same Idempotency-Key is still under way: try again.');
    await sleep(CHECK_INTERVAL_MS);
  }
}
