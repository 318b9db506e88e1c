import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { continueCharge } from '../../src/core/charge/charge.ts';
import { checkResolvable } from '../../src/core/charge/resolve.ts';
import { pollAttempt } from '../../src/core/charge/poll.ts';
import { pollSweep } from '../../src/core/charge/sweeps.ts';
import { getPaymentRow } from '../../src/core/payments/service.ts';
import { must, Problem } from '../../src/kit/errors.ts';
import type { Db } from '../../src/kit/sql.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import type { Capabilities, Submission } from '../../src/providers/adapters/contract.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** One-time codes of a charge that comes into being at its provider only with the code, as pawaPay's does. */
const GRACE_MS = 900_000;
const CODED: Submission = { kind: 'accepted', provider_ref: null, next: { kind: 'otp' }, poll_after_ms: 3_000 };
const REFUSED: Submission = { kind: 'refused', reason: 'authentication_failed', message: 'wrong code' };
const LOST: Submission = { kind: 'unknown', message: 'timeout' };

class Coded extends Scripted {
  readonly capabilities: Capabilities;

  constructor(idempotency: Capabilities['idempotency']) {
    super(`coded-${idempotency}`);
    const polls = { first_ms: 3_000, factor: 1.5, max_ms: 300_000 };
    this.capabilities = { idempotency, readable_by: 'ours', polls, not_found_grace_ms: GRACE_MS };
  }
}

const clock = new FakeClock();
const provider = new Coded('conflicts');
/** Test mode has a provider that repeats its first response to a repeated key. */
const replaying = new Coded('replays');
let api: Api;
let merchant: Merchant;
before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [replaying], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
});
after(() => api.stop());
afterEach(() => {
  provider.reset();
  replaying.reset();
});

type Mode = 'live' | 'sandbox';
const store = () => api.deps.stores.live.of(merchant.team.id);
const call = (mode: Mode, method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.call(method, path, { key: merchant[mode].secret, headers, ...(body ? { body } : {}) });
const shown = async (id: string, mode: Mode = 'live') => (await call(mode, 'GET', `/payments/${id}`)).body.transaction;
const statusesOf = async (id: string) => {
  const { status, attempts } = await shown(id);
  return [status, ...attempts.map((attempt: { status: string }) => attempt.status)];
};

let phone = 650_300_000;
/** A payment whose charge waits for a code, and what sends one. */
async function waitingForCode(mode: Mode = 'live') {
  clock.advance(1);
  const coded = mode === 'live' ? provider : replaying;
  coded.submission = CODED;
  const { id } = (await call(mode, 'POST', '/payments', { amount: 1_000, currency: 'XAF', phone: '1' })).body.transaction;
  const data = { phone: String(++phone) };
  assert.equal((await call(mode, 'POST', `/payments/${id}`, { channel: 'cm.mtn', data })).status, 202);
  const send = (answer: Submission, otp = '123456', headers: Record<string, string> = {}) => {
    coded.further = answer;
    return call(mode, 'POST', `/payments/${id}`, { channel: 'cm.mtn', data: { ...data, otp } }, headers);
  };
  return { id: id as string, collection: coded.last, send };
}

const attemptOf = async (attempt_id: string) =>
  must(await findAttempt(store().db, merchant.team.id, attempt_id), 'it was stored');
const poll = async (attempt_id: string) => pollAttempt(api.deps, store(), await attemptOf(attempt_id));
async function pollDue(after_ms = GRACE_MS): Promise<void> {
  clock.advance(after_ms);
  await pollSweep(api.deps, api.deps.stores.live).round();
}

/** Sends a code as a process that read the attempt some time ago, and is paused after it has stored the step. */
async function sendPaused(id: string, attempt_id: string, paused_ms: number, known = attemptOf(attempt_id)): Promise<number> {
  const { environment, db } = store();
  const transaction: Db['transaction'] = async (work, plans) => {
    const result = await db.transaction(work, plans);
    clock.advance(paused_ms);
    return result;
  };
  const paused: Store = { environment, db: { all: db.all, maybe: db.maybe, run: db.run, transaction } };
  const payment = await getPaymentRow(store(), merchant.team.id, id);
  try {
    await continueCharge(api.deps, paused, payment, await known, { kind: 'otp', otp: '123456' }, WORKER);
    return 202;
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
}

test('502 for a process that was paused for minutes before it sends a code: it sends nothing, and the code can be sent again', async () => {
  const { id, collection, send } = await waitingForCode();
  assert.deepEqual([await sendPaused(id, collection.attempt_id, GRACE_MS), provider.continued.length], [502, 0]);
  assert.deepEqual(await statusesOf(id), ['processing', 'open']);
  assert.equal((await send(ACCEPTED)).status, 202);
  assert.equal(provider.continued.length, 1);
});

for (const [what, otp] of [
  ['of spaces only', '   '],
  ['with a control character', '1234\u00075'],
  ['with an invisible character', '123\u200b456'],
  ['with letters outside ASCII', '\u0661\u0662\u0663\u0664'],
  ['that is too long', '1'.repeat(13)],
] as const)
  test(`422 for a code ${what}: nothing is sent, and a correct one can follow`, async () => {
    const { id, send } = await waitingForCode();
    const { status, body } = await send(ACCEPTED, otp);
    assert.deepEqual([status, Object.keys(body.errors ?? {}), provider.continued.length], [422, ['data.otp'], 0]);
    assert.deepEqual(await statusesOf(id), ['processing', 'open']);
    assert.equal((await send(ACCEPTED)).status, 202);
  });

test('a code is sent without the spaces between its digits; letters are accepted', async () => {
  for (const [typed, sent] of [
    ['7351 9482', '73519482'],
    ['QJS3RSKZXY', 'QJS3RSKZXY'],
    ['12-34\n', '12-34'],
  ] as const) {
    const { send } = await waitingForCode();
    assert.equal((await send(ACCEPTED, typed)).status, 202);
    assert.deepEqual(provider.inputs.at(-1), { kind: 'otp', otp: sent });
  }
});

test('422 for a code that the provider rejects as malformed: the charge goes on, and the same key takes another code', async () => {
  const { id, send } = await waitingForCode();
  const headers = { 'idempotency-key': `malformed-${id}` };
  const { status, body } = await send({ kind: 'unavailable', message: 'HTTP 400', input_rejected: true }, 'abcdef', headers);
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['data.otp']]);
  assert.deepEqual(await statusesOf(id), ['processing', 'open']);
  assert.equal((await send(ACCEPTED, '123456', headers)).status, 202);
});

test('400 for a code whose attempt ended after it was read: nothing is sent', async () => {
  const { id, collection } = await waitingForCode();
  const known = await attemptOf(collection.attempt_id);
  provider.readings.set(collection.attempt_id, { kind: 'expired' });
  await poll(collection.attempt_id);
  assert.deepEqual([await sendPaused(id, collection.attempt_id, 0, Promise.resolve(known)), provider.continued.length], [400, 0]);
});

test('400 for a code long after the end of the payment: its provider may be about to end the attempt', async () => {
  const { id, collection, send } = await waitingForCode();
  const left_ms = collection.expires_at - clock.now();
  clock.advance(left_ms + GRACE_MS / 2 - 10);
  const paused = await sendPaused(id, collection.attempt_id, 1_000);
  const { status, body } = await send(ACCEPTED);
  assert.deepEqual([paused, status, provider.continued.length], [502, 400, 0]);
  assert.match(body.message, /^The payment window is over/);
});

for (const answer of [ACCEPTED, { kind: 'duplicate' } as const, LOST]) {
  test(`the answer "${answer.kind}" to a code whose attempt has ended meanwhile: it is polled, and its money is not lost`, async () => {
    const { id, collection, send } = await waitingForCode();
    const { attempt_id } = collection;
    provider.onContinue = async () => {
      provider.readings.set(attempt_id, { kind: 'expired' });
      await poll(attempt_id);
      assert.equal((await attemptOf(attempt_id)).next_poll_at, null);
    };
    assert.equal((await send(answer)).status, 402);
    assert.notEqual((await attemptOf(attempt_id)).next_poll_at, null);
    provider.paid(collection);
    await pollDue();
    assert.deepEqual([(await shown(id)).amount_captured, (await attemptOf(attempt_id)).status], [1_000, 'succeeded']);
  });
}

test('polling of such an attempt ends when its provider reports once more that no money moved', async () => {
  const { id, collection, send } = await waitingForCode();
  const { attempt_id } = collection;
  provider.onContinue = async () => {
    provider.readings.set(attempt_id, { kind: 'failed', reason: 'payer_declined', message: 'no' });
    await poll(attempt_id);
  };
  await send(ACCEPTED);
  await pollDue();
  assert.equal((await attemptOf(attempt_id)).next_poll_at, null);
  assert.deepEqual(await statusesOf(id), ['failed', 'failed']);
});

test('an attempt that a reading ends which was asked for before a code was sent is read again', async () => {
  const { collection, send } = await waitingForCode();
  const { attempt_id } = collection;
  provider.readings.set(attempt_id, { kind: 'expired' });
  provider.onContinue = async () => assert.fail('the process dies before the answer');
  provider.onRead = async () => {
    provider.onRead = async () => {};
    assert.equal((await send(ACCEPTED)).status, 500);
  };
  await poll(attempt_id);
  const { status, next_poll_at } = await attemptOf(attempt_id);
  assert.deepEqual([status, next_poll_at?.getTime()], ['expired', clock.now()]);
});

test('the provider is asked for the time of the code, from which "not found" counts', async () => {
  const { collection, send } = await waitingForCode();
  clock.advance(600_000);
  const sent_at = clock.now();
  await send(LOST);
  await poll(collection.attempt_id);
  assert.equal(provider.asked.at(-1)?.submitted_at, sent_at);
});

test('202 for a rejection after a code whose answer was lost: the first may be paid', async () => {
  const { id, collection, send } = await waitingForCode();
  assert.equal((await send(LOST)).status, 202);
  assert.equal((await send(REFUSED, '654321')).status, 202);
  assert.deepEqual(await statusesOf(id), ['processing', 'open']);
  provider.paid(collection);
  await pollDue();
  assert.deepEqual(await statusesOf(id), ['succeeded', 'succeeded']);
});

test('so it is when the process of the first died before its answer', async () => {
  const { id, send } = await waitingForCode();
  provider.onContinue = async () => assert.fail('the process dies before the answer');
  assert.equal((await send(ACCEPTED)).status, 500);
  provider.onContinue = async () => {};
  assert.equal((await send(REFUSED, '654321')).status, 202);
  assert.deepEqual(await statusesOf(id), ['processing', 'open']);
});

test('and when a second code is under way at the rejection of the first', async () => {
  const { id, send } = await waitingForCode();
  provider.onContinue = async () => {
    provider.onContinue = async () => {};
    assert.equal((await send(LOST, '654321')).status, 202);
  };
  assert.equal((await send(REFUSED)).status, 202);
  assert.deepEqual(await statusesOf(id), ['processing', 'open']);
});

test('402 for such a rejection by a provider that repeats its first response: it is about both', async () => {
  const { id, send } = await waitingForCode('sandbox');
  assert.equal((await send(LOST)).status, 202);
  assert.equal((await send(REFUSED, '654321')).status, 402);
  assert.equal((await shown(id, 'sandbox')).status, 'failed');
});

const WITHOUT_EFFECT: [string, Submission, number][] = [
  ['after none', CODED, 202],
  ['after one that the provider could not take', { kind: 'unavailable', message: 'closed' }, 502],
];
for (const [what, answer, status] of WITHOUT_EFFECT) {
  test(`402 for a rejected code ${what}`, async () => {
    const { id, send } = await waitingForCode();
    if (what !== 'after none') assert.equal((await send(answer)).status, status);
    assert.equal((await send(REFUSED, '654321')).status, 402);
    assert.deepEqual(await statusesOf(id), ['failed', 'failed']);
  });
}

test('402 for a rejected code after one that the provider answered with the wish for another', async () => {
  const { id, send } = await waitingForCode();
  assert.equal((await send(CODED)).status, 202);
  assert.equal((await send(REFUSED, '654321')).status, 402);
  assert.deepEqual(await statusesOf(id), ['failed', 'failed']);
});

test('a person cannot decide a charge whose code is being sent, only two minutes later', async () => {
  const { collection, send } = await waitingForCode();
  await send(LOST);
  const attempt = await attemptOf(collection.attempt_id);
  const decision = { as: 'failed', author: 'awa', evidence: 'told by phone' } as const;
  const decide = () => checkResolvable(attempt, decision, clock.now());
  assert.throws(decide, /handed over at this moment/);
  clock.advance(120_000);
  decide();
});

test('202 for both of two requests with one key of which the second took the first for dead: it replays the response', async () => {
  const { id, collection, send } = await waitingForCode();
  const headers = { 'idempotency-key': `code-${id}` };
  const gate = Promise.withResolvers<void>();
  provider.onContinue = () => gate.promise;
  const first = send(ACCEPTED, '123456', headers);
  await until(
    () => attemptOf(collection.attempt_id),
    ({ unanswered_step_at }) => unanswered_step_at !== null,
  );
  clock.advance(61_000);
  const [holder, looker] = [await connectClient(api.databases.live), await connectClient(api.databases.live)];
  const waiting = async () =>
    (await looker.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount;
  await holder.query('begin');
  await holder.query('select from payments where id = $1 for update', [id]);
  gate.resolve();
  await until(waiting, (count) => count === 1);
  const second = send(ACCEPTED, '123456', headers);
  await until(waiting, (count) => count === 2);
  // The first has its result, but has not stored its response when the second looks.
  await looker.query('begin');
  await looker.query('lock table idempotency_answers in exclusive mode');
  await holder.query('commit');
  const replayed = await second;
  await looker.query('commit');
  await Promise.all([holder.end(), looker.end()]);
  const answers = [await first, replayed, await send(ACCEPTED, '123456', headers)];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 202],
  );
  for (const { body } of answers) assert.deepEqual(body, answers[0]?.body);
});
