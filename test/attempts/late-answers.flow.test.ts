import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Deps } from '../../src/program/deps.ts';
import { sql } from '../../src/kit/sql.ts';
import { Applier } from '../../src/core/payments/applier.ts';
import { findAttempt } from '../../src/core/attempts/store.ts';
import { pollAttempt } from '../../src/core/charge/poll.ts';
import { pollSweep, trancheSweep } from '../../src/core/charge/sweeps.ts';
import type { Collection, Submission } from '../../src/providers/adapters/contract.ts';
import { type Api, FakeClock, type Merchant, startApi } from '../setup/api.ts';
import { Registry } from '../setup/providers.ts';
import { ACCEPTED, Scripted } from '../setup/scripted.ts';

/** An attempt is closed as one that never reached its provider while its sender is still at work. */
const GRACE_MS = 600_000;
const clock = new FakeClock();
const provider = new Scripted();
let api: Api;
let merchant: Merchant;
/** A node whose clock is ahead by more than the grace for "not found". */
let ahead: Deps;

before(async () => {
  api = await startApi({ clock, workers: false, providers: new Registry({ sandbox: [provider], live: [provider] }) });
  merchant = await api.newMerchant({ verification_level: 3 });
  const fast = { now: () => clock.now() + GRACE_MS + 60_000 };
  ahead = { ...api.deps, clock: fast, applier: new Applier(fast, api.deps.listeners) };
});
after(() => api.stop());
afterEach(() => provider.reset());

const store = () => api.deps.stores.live;
const call = (method: string, path: string, body?: object, headers = {}) =>
  api.call(method, path, { key: merchant.live.secret, headers, ...(body ? { body } : {}) });
const shown = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction;
const statuses = async (id: string) => (await shown(id)).attempts.map(({ status }: { status: string }) => status);

let phone = 650_100_000;
async function ordered(amount = 1_000): Promise<string> {
  clock.advance(1);
  return (await call('POST', '/payments', { amount, currency: 'XAF', phone: '1' })).body.transaction.id;
}
const charge = (id: string) => call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: String(++phone) } });

/** The node whose clock is ahead asks about everything that is due by its clock. */
const forget = () => pollSweep(ahead, store()).round();
async function poll(): Promise<void> {
  clock.advance(2 * GRACE_MS);
  await pollSweep(api.deps, store()).round();
}
const nextLook = async (attempt_id: string) =>
  (await findAttempt(store().db, merchant.team.id, attempt_id))?.next_poll_at ?? null;
const journals = async (id: string) =>
  (await store().db.all<{ kind: string }>(sql`select kind from journals where subject_id = ${id} order by id`)).map(
    ({ kind }) => kind,
  );

const LATE: Submission[] = [ACCEPTED, { kind: 'duplicate' }, { kind: 'unknown', message: 'timeout' }];
for (const submission of LATE) {
  test(`402 an attempt closed as never arrived, then "${submission.kind}": not 202, it is polled on, and its money is not lost`, async () => {
    Object.assign(provider, { submission, onSubmit: forget });
    const id = await ordered();
    const { status, body } = await charge(id);
    assert.deepEqual([status, body.error_code], [402, 'channel_unavailable']);
    assert.deepEqual([(await shown(id)).status, await statuses(id)], ['failed', ['expired']]);
    assert.notEqual(await nextLook(provider.last.attempt_id), null);
    provider.readings.set(provider.last.attempt_id, { kind: 'pending', poll_after_ms: 1_000 });
    await poll();
    provider.paid(provider.last);
    await poll();
    assert.deepEqual(await journals(id), ['payment.late_success']);
    assert.deepEqual([(await shown(id)).status, await nextLook(provider.last.attempt_id)], ['failed', null]);
  });
}

test('polling of such an attempt stops when the provider reports that no money moved, and the payment does not change', async () => {
  provider.onSubmit = async () => void (await forget());
  const id = await ordered();
  await charge(id);
  provider.readings.set(provider.last.attempt_id, { kind: 'failed', reason: 'payer_declined', message: 'no' });
  await poll();
  assert.equal(await nextLook(provider.last.attempt_id), null);
  assert.deepEqual([await statuses(id), await journals(id)], [['expired'], []]);
});

test('an attempt closed as never arrived is polled again once a poll triggered by a callback finds it at the provider', async () => {
  Object.assign(provider, { submission: { kind: 'unavailable', message: 'closed' }, onSubmit: forget });
  const id = await ordered();
  await charge(id);
  const { attempt_id } = provider.last;
  assert.equal(await nextLook(attempt_id), null);
  provider.readings.set(attempt_id, { kind: 'pending', poll_after_ms: 1_000 });
  await pollAttempt(api.deps, store(), (await findAttempt(store().db, merchant.team.id, attempt_id)) ?? assert.fail());
  assert.notEqual(await nextLook(attempt_id), null);
});

/** A payment of 900,000 whose first piece has landed; the next one is on its way by the worker. */
async function halfPaid(): Promise<{ id: string; first: Collection }> {
  const id = await ordered(900_000);
  assert.equal((await charge(id)).status, 202);
  const first = provider.last;
  provider.paid(first);
  clock.advance(2_000);
  await pollSweep(api.deps, store()).round();
  assert.equal((await shown(id)).status, 'partial');
  return { id, first };
}
const sendNext = (node: Deps = api.deps) => trancheSweep(node, store()).round();
const lastAmounts = () => provider.submitted.map(({ amount_minor }) => Number(amount_minor / 100n));

test('tranches: one closed as never arrived and then accepted is reopened, and no third prompt is sent', async () => {
  const { id } = await halfPaid();
  provider.onSubmit = async () => void (await forget());
  await sendNext();
  provider.onSubmit = async () => {};
  for (let i = 0; i < 3; i++) {
    clock.advance(61_000);
    await sendNext();
    await sendNext(ahead);
  }
  assert.deepEqual(
    [lastAmounts(), await statuses(id)],
    [
      [450_000, 450_000],
      ['succeeded', 'open'],
    ],
  );
  provider.paid(provider.last);
  await poll();
  assert.deepEqual([(await shown(id)).status, (await shown(id)).amount_captured], ['succeeded', 900_000]);
});

test('tranches: after another was sent, a late one is polled, no further one is sent beside it, and the surplus is announced', async () => {
  const { id } = await halfPaid();
  provider.onSubmit = async () => {
    provider.onSubmit = async () => {};
    await forget();
    await sendNext(ahead);
  };
  await sendNext();
  const [, late, third] = provider.submitted as [Collection, Collection, Collection];
  assert.deepEqual(await statuses(id), ['succeeded', 'expired', 'open']);
  provider.readings.set(third.attempt_id, { kind: 'failed', reason: 'payer_declined', message: 'no' });
  provider.readings.set(late.attempt_id, { kind: 'unreadable', message: '?' });
  await poll();
  assert.deepEqual(await statuses(id), ['succeeded', 'expired', 'failed']);
  assert.equal((await charge(id)).status, 400, 'a prompt may still be on the payer’s phone');
  provider.readings.set(late.attempt_id, { kind: 'pending', poll_after_ms: 1_000 });
  await poll();
  assert.deepEqual(await statuses(id), ['succeeded', 'open', 'failed']);
  provider.paid(late);
  await poll();
  assert.equal((await shown(id)).status, 'succeeded');
  assert.equal(provider.submitted.length, 3);
});

test('tranches: after a declined one no other is sent by itself, also when a callback about it came while it could not be read', async () => {
  const { id } = await halfPaid();
  await sendNext();
  const { attempt_id } = provider.last;
  const declined = { kind: 'failed', reason: 'wrong_pin', message: 'no' } as const;
  provider.readings.set(attempt_id, declined);
  await poll();
  provider.readings.set(attempt_id, { kind: 'unreadable', message: '?' });
  await pollAttempt(api.deps, store(), (await findAttempt(store().db, merchant.team.id, attempt_id)) ?? assert.fail());
  provider.readings.set(attempt_id, declined);
  await poll();
  await sendNext();
  assert.deepEqual([await statuses(id), provider.submitted.length], [['succeeded', 'failed'], 2]);
  assert.equal((await charge(id)).status, 202, 'the payer continues');
});

test('tranches: one that waited for such a callback is sent by itself when the tranche before it was paid', async () => {
  const id = await ordered(1_200_000);
  await charge(id);
  provider.paid(provider.last);
  await poll();
  await sendNext();
  const { attempt_id } = provider.last;
  const declined = { kind: 'failed', reason: 'wrong_pin', message: 'no' } as const;
  provider.readings.set(attempt_id, declined);
  await poll();
  await charge(id);
  provider.paid(provider.last);
  provider.readings.set(attempt_id, { kind: 'unreadable', message: '?' });
  await pollAttempt(api.deps, store(), (await findAttempt(store().db, merchant.team.id, attempt_id)) ?? assert.fail());
  await poll();
  await sendNext();
  assert.deepEqual(await statuses(id), ['succeeded', 'failed', 'succeeded'], 'the second may still be paid');
  provider.readings.set(attempt_id, declined);
  await poll();
  await sendNext();
  assert.deepEqual(await statuses(id), ['succeeded', 'failed', 'succeeded', 'open']);
});

test('a process that pauses between its commit and the sending does not send what was closed meanwhile: 402, and the payer is not asked', async () => {
  provider.onPrepare = async () => void (await forget());
  const id = await ordered();
  const { status, body } = await charge(id);
  assert.deepEqual([status, body.error_code, provider.submitted.length], [402, 'channel_unavailable', 0]);
  assert.equal((await shown(id)).status, 'failed');
});

test('tranches: such a process sends nothing, and the piece that takes its place is the only prompt', async () => {
  const { id } = await halfPaid();
  provider.onPrepare = async () => {
    provider.onPrepare = async () => {};
    await forget();
    await sendNext(ahead);
  };
  await sendNext();
  assert.deepEqual(
    [lastAmounts(), await statuses(id)],
    [
      [450_000, 450_000],
      ['succeeded', 'expired', 'open'],
    ],
  );
});

test('“not found” counts from when the provider was asked: an answer that is read late closes nothing', async () => {
  provider.submission = { kind: 'unknown', message: 'timeout' };
  const id = await ordered();
  assert.equal((await charge(id)).status, 202);
  provider.onRead = async () => clock.advance(GRACE_MS);
  clock.advance(3_000);
  await pollSweep(api.deps, store()).round();
  assert.deepEqual([(await shown(id)).status, await statuses(id)], ['processing', ['unknown']]);
});
