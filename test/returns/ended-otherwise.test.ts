import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { SENDING_MS } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { findRefund } from '../../src/core/refunds/store.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn, recheckFailedRefund } from '../../src/core/returns/service.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { account } from '../../src/money/ledger/accounts.ts';
import { post } from '../../src/money/ledger/post.ts';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { Late } from './fixture.ts';

/** News of ways of a return that a statement has set aside, that a person has ended, or that no account ever took. */
const late = new Late();
before(() => late.start());
after(() => late.api.stop());

const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const;
const FULL = { kind: 'failed', reason: null, message: 'the wallet is full' } as const;
const PENDING = { kind: 'pending', provider_ref: 'p-1', poll_after_ms: 1_000 } as const;
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const PAID: Extract<PayoutOutcome, { kind: 'succeeded' }> = {
  kind: 'succeeded',
  provider_ref: 'p-late',
  amount_minor: 1_000_000n,
  currency: 'XAF',
};
const ref = async () => ({ team_id: late.merchant.team.id, id: (await late.row()).id });
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;

/** A return that waits for a person: its refund and its payout have failed. */
async function waiting(): Promise<void> {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  assert.equal((await late.row()).state, 'waiting');
}

/** Sets money aside, as reconciliation does where a statement shows the failed refund or payout as paid. */
async function setAside(way: 'refund_id' | 'payout_id'): Promise<void> {
  const { team_id, payment_id, ...row } = await late.row();
  const postings = [{ debit: account('hold', null), credit: account('clearing', null), amount_minor: 900_000n }];
  const journal = { team_id, kind: 'reconciliation.late', source_id: `${row[way]}:0`, subject_id: payment_id };
  await late.store.db.transaction((tx) => post(tx, [{ ...journal, currency: 'XAF', postings }]));
  if (way === 'refund_id') late.able.onRefundRead = DONE;
}

/** The account calls back about the payout, and answers this when it is asked. */
async function calledBack(answer: PayoutOutcome): Promise<void> {
  late.able.onPayoutRead = answer;
  await pollReturn(late.store, late.clock.now(), await ref(), 'able');
}

const tryAgain = async () => {
  late.able.onPayout = null;
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
};

test('a refund that a statement has set aside is not read again and again while a payout cannot be read', async () => {
  await waiting();
  await setAside('refund_id');
  await calledBack(UNKNOWN);
  const payoutsOf = must(late.able.payouts, 'it pays out');
  const { read } = payoutsOf;
  let readings = 0;
  payoutsOf.read = (payout) => {
    readings++;
    return read.call(payoutsOf, payout);
  };
  for (let i = 0; i < 50; i++) {
    await returnSweep(late.api.deps, late.store).round();
    late.clock.advance(500);
  }
  payoutsOf.read = read;
  assert.ok(readings >= 2 && readings < 10, `${readings} readings in 25 s`);
});

test('a return whose refund or payout a statement has set aside goes back to a person when it is tried again', async () => {
  for (const way of ['refund_id', 'payout_id'] as const) {
    await waiting();
    await setAside(way);
    await tryAgain();
    await late.work(4);
    const { state, note } = await late.row();
    assert.equal(state, 'waiting', way);
    assert.match(note ?? '', /pirogue breaks settle/);
    assert.equal(payouts(), 1);
  }
});

test('a payout that no account takes is not sent any more once a statement has set the refund aside', async () => {
  await late.captured();
  for (const one of [late.able, late.second]) one.onPayout = { kind: 'unavailable', message: '503' };
  await late.work(8);
  const { state, dispatched_at } = await late.row();
  assert.deepEqual([state, dispatched_at], ['paying_out', null]);
  const sent = payouts();
  await setAside('refund_id');
  for (const one of [late.able, late.second]) one.onPayout = null;
  await late.work(4, 300_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['waiting', sent]);
  assert.match((await late.row()).note ?? '', /pirogue breaks settle/);
});

test('a payout that its account does not have is not sent again once a statement has set the refund aside', async () => {
  await late.captured();
  Object.assign(late.able, { onPayout: UNKNOWN, onPayoutRead: { kind: 'not_found' } });
  await late.work(4, 1_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['paying_out', 1]);
  await setAside('refund_id');
  await late.work(4, 600_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['waiting', 1]);
  assert.match((await late.row()).note ?? '', /pirogue breaks settle/);
});

test('a payout read as carried out after a day in which no account could pay is followed by no other when it cannot be read then', async () => {
  await waiting();
  for (const one of [late.able, late.second]) one.onPayout = { kind: 'unavailable', message: '503' };
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
  await late.store.db.run(sql`update returns set updated_at = ${new Date(late.clock.now() - 86_400_001)}`);
  late.able.onPayoutRead = PENDING;
  await late.work(1);
  assert.equal((await late.row()).note, 'the provider reports that it carries out what had failed');
  late.able.onPayoutRead = UNKNOWN;
  late.able.onPayout = null;
  await late.work(3, 300_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['owed', 1]);
});

test('a person is asked after a day when what had failed is carried out beside a payout that no account takes', async () => {
  await waiting();
  for (const one of [late.able, late.second]) one.onPayout = { kind: 'unavailable', message: '503' };
  late.able.onPayoutRead = { kind: 'failed', reason: null, message: 'refused' };
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
  await late.work(8);
  assert.deepEqual([(await late.row()).state, (await late.row()).dispatched_at], ['paying_out', null]);
  const sent = payouts();
  await calledBack({ ...PAID, amount_minor: 900_000n });
  await late.work(4, 86_400_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['waiting', sent]);
});

test('a payout that its provider last reported as carried out is followed by no other when a person tries again', async () => {
  await waiting();
  await calledBack(PENDING);
  await late.work(5, 43_200_000);
  late.able.onPayoutRead = UNKNOWN;
  await late.work(2, 300_000);
  await tryAgain();
  await late.work(4, 300_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['owed', 1]);
  late.able.onPayoutRead = PENDING;
  await late.work(3, 86_400_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['waiting', 1]);
  late.able.onPayoutRead = PAID;
  await late.work(4, 300_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['returned', 1]);
});

test('a payout that failed is read before another, without a callback: one that is carried out or paid is not paid again', async () => {
  for (const [answer, expected] of [
    [PENDING, 'owed'],
    [PAID, 'returned'],
    [{ ...PAID, amount_minor: 900_000n }, 'owed'],
  ] as const) {
    await waiting();
    late.able.onPayoutRead = answer;
    await tryAgain();
    await late.work(4, 300_000);
    assert.deepEqual([(await late.row()).state, payouts()], [expected, 1]);
    late.able.onPayoutRead = PAID;
    await late.work(4, 300_000);
    assert.deepEqual([(await late.row()).state, payouts()], ['returned', 1]);
  }
});

test('evidence about a refund that a statement has set aside is rejected, and stored nowhere', async () => {
  await waiting();
  await setAside('refund_id');
  const { team_id, refund_id } = await late.row();
  const refund = { team_id, id: must(refund_id, 'it was tried') };
  const said = { evidence: 'statement line 7', author: 'awa' };
  await assert.rejects(recordLateRefund(late.api.deps, late.store, refund, said, WORKER), /pirogue breaks settle/);
  assert.equal((await findRefund(late.store.db, team_id, refund.id))?.resolution, null);
});

test('"not found" soon after a payout was sent the second time is no answer to a callback', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = { kind: 'not_found' };
  await late.work(5, 1_000);
  late.clock.advance(600_000);
  await late.work(1);
  assert.equal(payouts(), 2);
  late.able.onPayoutRead = FULL;
  await late.work(3, 60_000);
  assert.equal((await late.row()).state, 'waiting');
  await calledBack({ kind: 'not_found' });
  await tryAgain();
  await late.work(3);
  assert.deepEqual([(await late.row()).state, payouts()], ['owed', 2]);
});

test('a payout that was called back about and that a person ended as failed is read: the payer who was paid in cash, too, is reported', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  const { team_id, payout_id } = await late.row();
  late.clock.advance(SENDING_MS);
  late.able.onPayoutRead = PAID;
  await pollReturn(late.store, late.clock.now(), await ref(), 'able');
  const payout = { team_id, id: must(payout_id, 'it is under way'), part: null };
  await resolveRefund(late.api.deps, late.store, payout, { as: 'failed', evidence: 'they say so', author: 'awa' }, WORKER);
  const cash = { as: 'returned', evidence: 'paid in cash', author: 'awa' } as const;
  await resolveReturn(late.api.deps, late.store, await ref(), cash, WORKER);
  await late.work(4, 600_000);
  assert.equal((await late.row()).state, 'overpaid');
});

test('a payout that no account ever took holds up no other', async (t) => {
  await late.captured();
  const { router } = late.api.deps;
  const choose = router.choose.bind(router);
  let asked = 0;
  const closed = t.mock.method(router, 'choose', async (request: Parameters<typeof choose>[0]) => {
    const decision = await choose(request);
    return ++asked < 2 ? decision : { ...decision, candidates: [], waits: false };
  });
  await late.work(8);
  closed.mock.restore();
  const { refund_id, team_id, state } = await late.row();
  assert.deepEqual([state, payouts()], ['waiting', 0]);
  await recheckFailedRefund(late.store, late.clock.now(), team_id, must(refund_id, 'it was tried'));
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
  await late.work(10, 120_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['returned', 1]);
});
