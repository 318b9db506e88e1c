import { setTimeout as sleep } from 'node:timers/promises';
import { checkReplay, erasedKey, isSameRequest, REPLAY_MS, requestHash, storedResponse } from '../../tenants/api/idempotency.ts';
import { findKey, type KeyedAnswer, type KeyRow, releaseKey, storeResponses } from '../../tenants/api/idempotency-store.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Batches, SharedWork } from '../../platform/db/batches.ts';
import { type ChargeKey, KeyTaken } from './key.ts';
import type { ChargeHooks } from './start.ts';

/** Name under which the keys of charges are stored. */
export const ROUTE = 'POST /payments/{id}';

const WAIT_MS = 30_000;
const CHECK_INTERVAL_MS = 100;
/** Age above which a request no longer tries providers. */
const TRYING_MS = 120_000;
/** Retry-After in seconds: the same as when the database is unavailable (src/tenants/api/replies.ts). */
const RETRY_AFTER_S = '5';

/**
 * Reconstructs the result of a request whose response was not stored. `untaken`: no provider took the charge. `abandoned`: the request
 * had no effect that a repetition could duplicate. `erased`: the charge has failed, and an erasure of its payer may have removed the
 * stored response.
 * @param since when the request that took the key arrived
 */
export type Recall = (attempt_id: string, since: Date) => Promise<Reply | 'under_way' | 'untaken' | 'abandoned' | 'erased'>;

/** Responses of charges that end together are stored in one statement. */
const ANSWERS: SharedWork<KeyedAnswer, void> = {
  in_flight: 2,
  teamOf: ({ team_id }) => team_id,
  run: async (db, answers) => {
    await storeResponses(db, answers);
    return answers.map(() => undefined);
  },
};

/**
 * Charges once for each Idempotency-Key. A charge spans several transactions, so the key is stored with the intent and its
 * response is added afterwards; a second request waits for that response. If the process of the first request died in between,
 * the response is reconstructed from the current state of the attempt; if that request had no effect, the next request takes
 * the key. A further step of the payer takes the key for the attempt that it continues. The other two ways of idempotency are
 * compared in docs/decisions/0058-idempotency-paths.md.
 * @param found the key as it was read with the payment; undefined when it was free
 * @param work charges, taking the key in the transaction that stores the intent
 * @param recall reconstructs the result from an attempt
 * @returns the response, with the header Idempotent-Replayed when it is a replay
 * @throws Problem for a key that was used with another request or has expired, 500 when an earlier request with the key does
 * not finish within 30 seconds
 */
export async function chargeOnce(
  batches: Batches,
  call: Call,
  found: KeyRow | undefined,
  work: (hooks: ChargeHooks | undefined) => Promise<Reply>,
  recall: Recall,
): Promise<Reply> {
  const key = call.idempotency_key;
  if (key === null) return work(undefined);
  const deadline = performance.now() + WAIT_MS;
  const { team, store } = call.caller;
  for (let row = found; ; row = await findKey(store.db, { team_id: team.id, route: ROUTE, key })) {
    const earlier = await earlierResponse(call, key, row, recall);
    if ('answer' in earlier) return earlier.answer;
    try {
      return await first(batches, call, key, earlier.abandoned, work);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      if (performance.now() > deadline) throw stillUnderWay();
      await sleep(CHECK_INTERVAL_MS);
    }
  }
}

function stillUnderWay(): Problem {
  const message = 'A request with the same Idempotency-Key is still under way: try again.';
  return new Problem(500, message, { headers: { 'Retry-After': RETRY_AFTER_S } });
}

async function first(
  batches: Batches,
  call: Call,
  name: string,
  abandoned: string[],
  work: (hooks: ChargeHooks) => Promise<Reply>,
): Promise<Reply> {
  const { team, store } = call.caller;
  const ref = { team_id: team.id, route: ROUTE, key: name };
  const slot = { ...ref, request_hash: requestHash(call), created_at: new Date(call.at) };
  const key: ChargeKey = { slot, own: abandoned, released: false };
  try {
    const reply = await work({ key });
    await batches.add(ANSWERS, store, { ...ref, answer: storedResponse(reply) });
    return reply;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Only a success consumes a key: after a decline the same key may be used again.
    const isReleased = key.released || (key.own.length > 0 && (await releaseKey(store.db, ref, key.own)));
    // A concurrent request may have taken the key after this one had found it free, or have taken it over while no provider had this
    // one's charge, and have changed the payment. That request's response is the one to return.
    if (!isReleased && (await findKey(store.db, ref))) throw new KeyTaken();
    throw error;
  }
}

/**
 * Waits while an earlier request with the same key is under way. An earlier request that ended without a success has not consumed its
 * key, even if its process died. Its error is returned once, and only to the same request.
 * @param row the key as it was read last
 * @returns the response to replay; or, when the key is free, the attempts that abandoned requests assigned it to
 */
async function earlierResponse(
  call: Call,
  key: string,
  row: KeyRow | undefined,
  recall: Recall,
): Promise<{ answer: Reply } | { abandoned: string[] }> {
  const { team, store } = call.caller;
  const deadline = performance.now() + WAIT_MS;
  for (; ; row = await findKey(store.db, { team_id: team.id, route: ROUTE, key })) {
    if (!row) return { abandoned: [] };
    const attempt_id = must(row.resource_id, 'the key of a charge names its attempt');
    const recalled = row.answer ? (JSON.parse(row.answer) as Reply) : await rebuilt(recall(attempt_id, row.created_at));
    const age_ms = call.at - row.created_at.getTime();
    // No provider created a charge, so no success was ever stored. The process of a recent request may still be trying another provider.
    if (recalled === 'untaken' && (isSameRequest(call, row.request_hash) || age_ms > TRYING_MS))
      return { abandoned: [attempt_id] };
    // A stored success is deleted after a day. An attempt that failed later then looks like one that was declined at once.
    if (recalled instanceof Problem && age_ms <= REPLAY_MS) {
      await releaseKey(store.db, { team_id: team.id, route: ROUTE, key }, [attempt_id]);
      if (isSameRequest(call, row.request_hash)) throw recalled;
      return { abandoned: [] };
    }
    checkReplay(call, row);
    if (recalled instanceof Problem) throw recalled;
    if (recalled === 'erased') throw erasedKey();
    if (recalled === 'abandoned' || recalled === 'untaken') return { abandoned: [attempt_id] };
    if (recalled !== 'under_way') return { answer: { ...recalled, headers: { 'Idempotent-Replayed': 'true' } } };
    if (performance.now() > deadline) throw stillUnderWay();
    await sleep(CHECK_INTERVAL_MS);
  }
}

/** Returns the result of a request, or the error with which it ended. */
async function rebuilt(recalled: ReturnType<Recall>): Promise<Awaited<ReturnType<Recall>> | Problem> {
  try {
    return await recalled;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
