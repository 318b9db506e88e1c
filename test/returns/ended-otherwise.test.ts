import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
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
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const PAID: PayoutOutcome = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
const ref = async () => ({ team_id: late.merchant.team.id, id: (await late.row()).id });
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;

/** A return that waits for a person: its refund and its payout have failed. */
async function waiting(): Promise<void> {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  assert.equal((await late.row()).state, 'waiting');
}

/** Sets the money of the failed refund aside, as reconciliation does where a statement shows it as paid. */
async function setAside(): Promise<void> {
  const { team_id, refund_id, payment_id } = await late.row();
  const postings = [{ debit: account('hold', null), credit: account('clearing', null), amount_minor: 900_000n }];
  const journal = { team_id, kind: 'reconciliation.late', source_id: `${refund_id}:0`, subject_id: payment_id };
  await late.store.db.transaction((tx) => post(tx, [{ ...journal, currency: 'XAF', postings }]));
  late.able.onRefundRead = DONE;
}

test('a refund that a statement has set aside is not read again and again while a payout cannot be read', async () => {
  await waiting();
  await setAside();
  late.able.onPayoutRead = UNKNOWN;
  await pollReturn(late.store, late.clock.now(), await ref(), 'able');
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

test('a return whose refund a statement has set aside goes back to a person when it is tried again', async () => {
  await waiting();
  await setAside();
  await retryReturn(late.api.deps, late.store, await ref(), WORKER);
  await late.work(4);
  const { state, note } = await late.row();
  assert.equal(state, 'waiting');
  assert.match(note ?? '', /pirogue breaks settle/);
  assert.equal(payouts(), 1);
});

test('evidence about a refund that a statement has set aside is rejected, and stored nowhere', async () => {
  await waiting();
  await setAside();
  const { team_id, refund_id } = await late.row();
  const refund = { team_id, id: must(refund_id, 'it was tried') };
  const said = { evidence: 'statement line 7', author: 'awa' };
  await assert.rejects(recordLateRefund(late.api.deps, late.store, refund, said, WORKER), /pirogue breaks settle/);
  assert.equal((await findRefund(late.store.db, team_id, refund.id))?.resolution, null);
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
