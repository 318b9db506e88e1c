import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { sql } from '../../src/kit/sql.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { openReturns } from '../../src/core/obligations/store.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { writeResolution } from '../../src/core/refunds/store.ts';
import { must } from '../../src/kit/errors.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { Late } from './fixture.ts';

/** What a return does when providers are slow, unsure or wrong, and what a person does then. */
const late = new Late();
before(() => late.start());
after(async () => {
  const found: unknown[] = [];
  await verifyLedger(late.store.db, (difference) => found.push(difference));
  await checkBooks(late.store.db, (difference) => found.push(difference));
  await late.api.stop();
  assert.deepEqual(found, []);
});

const RETURNED = { kind: 'unknown', message: 'no answer' } as const;
const SAID = { evidence: 'call of the payer, statement line 7', author: 'awa' };
const ref = async () => ({ team_id: late.merchant.team.id, id: (await late.row()).id });
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;
const endByHand = (id: string | null) => {
  const refund = { team_id: late.merchant.team.id, id: must(id, 'it was made'), part: null };
  return resolveRefund(late.api.deps, late.store, refund, { as: 'failed', ...SAID }, WORKER);
};

test('there is no payout while the outcome of the refund is unknown', async () => {
  await late.captured();
  late.able.onRefund = RETURNED;
  late.able.onRefundRead = RETURNED;
  await late.work(6, 600_000);
  assert.deepEqual([(await late.row()).state, payouts(), late.able.refunded.length], ['refunding', 0, 1]);
});

test('a refund rejected in the response is polled again: unconfirmed, it leads to no payout and, a day later, to an operator', async () => {
  await late.captured();
  late.able.onRefundRead = RETURNED;
  await late.work(5, 600_000);
  assert.deepEqual([(await late.row()).state, payouts(), await late.hold()], ['owed', 0, 1_000_000n]);
  await late.work(2, 86_400_000);
  assert.deepEqual([(await late.row()).state, payouts(), await late.hold()], ['waiting', 0, 1_000_000n]);
});

test('a refund rejected in the response that succeeded after all is the return: nothing is paid out', async () => {
  await late.captured();
  late.able.onRefundRead = { kind: 'succeeded', provider_ref: 'r-9' };
  await late.work(4);
  assert.deepEqual([(await late.row()).state, payouts(), await late.hold()], ['returned', 0, 0n]);
  assert.equal((await late.call('GET', `/payments/${late.payment}`)).transaction.amount_refunded, 10_000);
});

test('a refund that succeeded carries no message of the time when that was not known, nor one for an operator', async () => {
  await late.captured();
  late.able.onRefund = RETURNED;
  late.able.onRefundRead = RETURNED;
  await late.work(3);
  const message = async () =>
    (await late.call('GET', `/payments/${late.payment}/refunds`)).items.map(
      (item: { status: string; message: string | null }) => [item.status, item.message],
    );
  assert.deepEqual(await message(), [['processing', 'no answer']]);
  late.able.onRefundRead = { kind: 'succeeded', provider_ref: 'r-9' };
  await late.work(4, 600_000);
  assert.deepEqual(await message(), [['succeeded', null]]);
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  await resolveReturn(late.api.deps, late.store, await ref(), { as: 'returned', ...SAID }, WORKER);
  assert.deepEqual((await message())[0], ['succeeded', null]);
});

test('an account that provably never got the payout is followed by another; one that may have it is polled', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'unavailable', message: 'connection refused' };
  late.second.onPayout = RETURNED;
  await late.work(8, 1_000);
  assert.deepEqual([late.able.paidOut.length, late.second.paidOut.length], [1, 1]);
  assert.notEqual(late.able.paidOut[0]?.callback_url, late.second.paidOut[0]?.callback_url);
  await late.work(6, 600_000);
  assert.deepEqual([late.able.paidOut.length, late.second.paidOut.length, (await late.row()).state], [1, 1, 'paying_out']);
  late.second.onPayoutRead = { kind: 'succeeded', provider_ref: 'p-2', amount_minor: 1_000_000n, currency: 'XAF' };
  await late.work(2, 600_000);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

test('a payout that is not known is sent again to the same account with the same key, and to no other', async () => {
  await late.captured();
  late.able.onPayout = RETURNED;
  late.able.onPayoutRead = { kind: 'not_found' };
  await late.work(4, 1_000);
  late.able.onPayout = { kind: 'unavailable', message: 'connection refused' };
  await late.work(12, 300_000);
  assert.ok(late.able.paidOut.length > 1);
  assert.deepEqual([new Set(late.able.paidOut.map((one) => one.provider_key)).size, late.second.paidOut.length], [1, 0]);
});

test('a payout reported with another amount than was sent does not close the return', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'succeeded', provider_ref: 'p', amount_minor: 1n, currency: 'XAF' };
  await late.work(6);
  assert.equal((await late.row()).state, 'paying_out');
});

test('a failed payout waits for a manual resolution, which is booked, audited and announced', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  const waiting = await late.row();
  assert.deepEqual([waiting.state, waiting.note, await late.hold()], ['waiting', 'the wallet is full', 1_000_000n]);
  assert.deepEqual(
    (await openReturns(late.store.db, late.merchant.team.id)).map(({ account, amount_minor }) => [account, amount_minor]),
    [['hold', 1_000_000n]],
  );
  await assert.rejects(
    resolveReturn(late.api.deps, late.store, await ref(), { as: 'absorbed', ...SAID }, WORKER),
    /returned or kept/,
  );
  await resolveReturn(late.api.deps, late.store, await ref(), { as: 'returned', ...SAID }, WORKER);
  const { state, manual_id } = await late.row();
  assert.deepEqual([state, await late.hold(), await late.refunds()], ['resolved', 0n, ['failed', 'failed', 'succeeded']]);
  assert.deepEqual(await late.events(manual_id as string), ['refund.created', 'refund.succeeded']);
  assert.equal((await late.call('GET', `/payments/${late.payment}`)).transaction.amount_refunded, 10_000);
  const trail = await late.store.db.all(
    sql`select 1 from audit_entries where action = 'return.resolve' and resource_id = ${waiting.id}`,
  );
  assert.equal(trail.length, 1);
  await assert.rejects(resolveReturn(late.api.deps, late.store, await ref(), { as: 'returned', ...SAID }, WORKER), /is resolved/);
});

test('money resolved as kept is available to the merchant', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  await resolveReturn(late.api.deps, late.store, await ref(), { as: 'kept', ...SAID }, WORKER);
  assert.deepEqual([(await late.row()).state, await late.hold(), (await late.refunds()).at(-1)], ['resolved', 0n, 'failed']);
  const { balance } = await late.call('GET', '/balance');
  assert.equal(balance.available, 10_000);
});

test('payouts can be retried manually', async () => {
  await late.captured();
  late.able.onPayout = { kind: 'failed', reason: null, message: 'the wallet is full' };
  await late.work(8);
  late.able.onPayout = null;
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
  await late.work(4);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

test('a refund that succeeds after the payout is a break: the deficit in suspense is absorbed or recovered manually', async () => {
  await late.captured();
  await late.work(8);
  const paid = await late.row();
  assert.equal(paid.state, 'returned');
  const refund = { team_id: paid.team_id, id: paid.refund_id as string };
  await recordLateRefund(late.api.deps, late.store, refund, SAID, WORKER);
  await assert.rejects(recordLateRefund(late.api.deps, late.store, refund, SAID, WORKER), /there is nothing to resolve/);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['overpaid', -1_000_000n]);
  await resolveReturn(late.api.deps, late.store, await ref(), { as: 'absorbed', ...SAID }, WORKER);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['resolved', 0n]);
});

test('concurrent workers return the money once', async () => {
  await late.captured();
  await Promise.all([late.work(6), late.work(6), late.work(6)]);
  // Rounds that found the return locked by another worker did nothing.
  await late.work(6);
  assert.deepEqual([(await late.row()).state, payouts(), late.able.refunded.length, await late.hold()], ['returned', 1, 1, 0n]);
});

test('the number of an erased customer is kept until the money is returned, and then deleted', async () => {
  await late.captured('650112233', { email: 'gone@race.example' });
  late.able.onPayout = RETURNED;
  await late.work(6);
  const { transaction } = await late.call('GET', `/payments/${late.payment}`);
  await late.call('DELETE', `/customers/${transaction.customer}`);
  const payer = async () =>
    (await late.store.db.maybe<{ payer: string | null }>(sql`select payer from attempts where payment_id = ${late.payment}`))
      ?.payer;
  assert.match((await payer()) ?? '', /650112233/);
  const { erasureSweep } = await import('../../src/edge/erasure/sweeps.ts');
  const sweep = erasureSweep(late.api.deps, late.store);
  late.able.onPayoutRead = { kind: 'succeeded', provider_ref: 'p', amount_minor: 1_000_000n, currency: 'XAF' };
  await late.work(3, 600_000);
  assert.equal((await late.row()).state, 'returned');
  for (let i = 0; i < 4; i++) {
    late.clock.advance(6 * 3_600_000);
    while ((await sweep.round()) > 0);
  }
  assert.equal(await payer(), null);
});

test('a return that waits for a person is resolved as a return: its refund cannot be ended as not sent', async (t) => {
  await late.captured();
  for (const one of [late.able, late.second])
    t.mock.method(one.payouts as object as { reaches(): boolean }, 'reaches', () => false);
  await late.work(8);
  const { manual_id, state } = await late.row();
  assert.equal(state, 'waiting');
  await assert.rejects(endByHand(manual_id), /there is nothing to resolve/);
  assert.equal((await late.row()).state, 'waiting');
});

test('evidence that a refund succeeded does not count as proof that it failed', async () => {
  await late.captured();
  late.able.onRefundRead = RETURNED;
  await late.work(4);
  const { refund_id, team_id } = await late.row();
  const refund = { team_id, id: must(refund_id, 'it was tried') };
  await late.store.db.transaction((tx) => writeResolution(tx, refund, { as: 'succeeded', ...SAID }));
  await late.work(4, 600_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['owed', 0]);
});
