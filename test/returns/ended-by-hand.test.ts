import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { SENDING_MS } from '../../src/core/charge/resolve.ts';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn } from '../../src/core/returns/service.ts';
import { findWay } from '../../src/core/refunds/ways.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { Late } from './fixture.ts';

/** Refunds and payouts of returns that were sent and that no account takes: a person ends them. */
const late = new Late();
before(() => late.start());
after(async () => {
  const found: unknown[] = [];
  await verifyLedger(late.store.db, (difference) => found.push(difference));
  await checkBooks(late.store.db, (difference) => found.push(difference));
  await late.api.stop();
  assert.deepEqual(found, []);
});

const CLOSED = { kind: 'unavailable', message: 'the key may not refund' } as const;
const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const;
const PENDING = { kind: 'pending', provider_ref: 'r-1', poll_after_ms: 1_000 } as const;
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const PAID: PayoutOutcome = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
const SAID = { evidence: 'the dashboard shows nothing', author: 'ops' };
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;
const state = async () => [(await late.row()).state, payouts(), await late.hold()];
const end = (id: string | null) =>
  resolveRefund(
    late.api.deps,
    late.store,
    { team_id: late.merchant.team.id, id: must(id, 'it was started'), part: null },
    { as: 'failed', ...SAID },
    WORKER,
  );

/** A return whose refund was sent, and turned away each time. */
async function refundTurnedAway() {
  await late.captured();
  Object.assign(late.able, { onRefund: CLOSED, onRefundRead: { kind: 'not_found' } });
  await late.work(6, 300_000);
  const { refund_id, state: now } = await late.row();
  const refund = must(await findWay(late.store.db, late.merchant.team.id, must(refund_id, 'it was started')), 'it exists');
  assert.deepEqual([now, refund.legs[0]?.status, refund.legs[0]?.sent_at !== null], ['refunding', 'waiting', true]);
  return refund.id;
}

/** A return whose refund has failed, and whose payout every account turned away. */
async function payoutTurnedAway() {
  await late.captured();
  for (const one of [late.able, late.second]) Object.assign(one, { onPayout: CLOSED, onPayoutRead: { kind: 'not_found' } });
  await late.work(10, 1_000);
  const { payout_id, dispatched_at, state: now } = await late.row();
  assert.deepEqual([now, dispatched_at], ['paying_out', null]);
  return must(payout_id, 'it was started');
}

test('a refund that is turned away and ended by hand is followed by a payout, once its provider does not know it', async () => {
  const refund = await refundTurnedAway();
  await end(refund);
  const sent = late.able.refunded.length;
  assert.equal((await late.row()).state, 'owed');
  await late.work(8, 300_000);
  assert.deepEqual([await state(), late.able.refunded.length], [['returned', 1, 0n], sent]);
  assert.deepEqual(await late.refunds(), ['failed', 'succeeded']);
  assert.deepEqual(await late.events(refund), ['refund.created', 'refund.failed']);
});

test('a refund that was ended by hand and is done all the same is the return: nothing is paid out', async () => {
  await end(await refundTurnedAway());
  late.able.onRefundRead = DONE;
  await late.work(6, 300_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

/** A refund that a person ended as failed although its provider carries it out. */
async function refundEndedWhilePending(): Promise<void> {
  await late.captured();
  Object.assign(late.able, { onRefund: UNKNOWN, onRefundRead: PENDING });
  await late.work(1, 1_000);
  late.clock.advance(SENDING_MS);
  await end((await late.row()).refund_id);
}

test('a refund that was ended by hand and that its provider carries out is followed by no payout: after a day a person decides', async () => {
  const refund = await refundTurnedAway();
  await end(refund);
  late.able.onRefundRead = PENDING;
  await late.work(6, 300_000);
  assert.deepEqual(await state(), ['owed', 0, 1_000_000n]);
  await late.work(6, 86_400_000);
  assert.deepEqual(await state(), ['waiting', 0, 1_000_000n]);
  late.able.onRefundRead = DONE;
  await retryReturn(late.api.deps, late.store, { team_id: late.merchant.team.id, id: (await late.row()).id }, WORKER);
  await late.work(6, 300_000);
  assert.deepEqual([(await late.row()).refund_id, await state()], [refund, ['returned', 0, 0n]]);
});

test('a refund that was ended by hand and cannot be read is followed by a payout a day later: the evidence counts', async () => {
  await end(await refundTurnedAway());
  late.able.onRefundRead = UNKNOWN;
  await late.work(6, 300_000);
  assert.deepEqual(await state(), ['owed', 0, 1_000_000n]);
  await late.work(6, 86_400_000);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a refund that was ended by hand and that its provider carries out is followed by no payout because it once cannot be read', async () => {
  await refundEndedWhilePending();
  await late.work(2, 300_000);
  late.able.onRefundRead = UNKNOWN;
  await late.work(4, 300_000);
  assert.deepEqual(await state(), ['owed', 0, 1_000_000n]);
  late.able.onRefundRead = DONE;
  await late.work(4, 300_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('a refund that was ended by hand and that its provider carries out a day later is followed by no payout when it cannot be read then', async () => {
  await refundEndedWhilePending();
  late.clock.advance(86_400_001);
  await late.work(2, 300_000);
  assert.deepEqual(await state(), ['waiting', 0, 1_000_000n]);
  late.able.onRefundRead = UNKNOWN;
  await retryReturn(late.api.deps, late.store, { team_id: late.merchant.team.id, id: (await late.row()).id }, WORKER);
  await late.work(4, 300_000);
  assert.deepEqual(await state(), ['owed', 0, 1_000_000n]);
  late.able.onRefundRead = DONE;
  await late.work(4, 300_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('a payout that every account turns away can be ended by hand: the return waits for a person, and is sent no more', async () => {
  await end(await payoutTurnedAway());
  const sent = payouts();
  await late.work(6, 600_000);
  assert.deepEqual(await state(), ['waiting', sent, 1_000_000n]);
  const ref = { team_id: late.merchant.team.id, id: (await late.row()).id };
  await resolveReturn(late.api.deps, late.store, ref, { as: 'returned', ...SAID }, WORKER);
  assert.deepEqual(await state(), ['resolved', sent, 0n]);
});

test('a payout that called back before it was ended by hand is read, and closes the return when it was done', async () => {
  const payout = await payoutTurnedAway();
  const { id } = await late.row();
  const way = must(await findWay(late.store.db, late.merchant.team.id, payout), 'it exists');
  const account = must(way.legs[0]?.provider_account, 'it was sent');
  await pollReturn(late.store, late.clock.now(), { team_id: late.merchant.team.id, id }, account);
  for (const one of [late.able, late.second]) one.onPayoutRead = PAID;
  const sent = payouts();
  await end(payout);
  await late.work(6, 60_000);
  assert.deepEqual(await state(), ['returned', sent, 0n]);
});

test('a refund whose request may be under way cannot be ended by hand; later it is read before anything is paid out', async () => {
  await late.captured();
  Object.assign(late.able, { onRefund: UNKNOWN, onRefundRead: PENDING });
  await late.work(1, 1_000);
  const { refund_id } = await late.row();
  await assert.rejects(end(refund_id), /at this moment/);
  late.clock.advance(SENDING_MS);
  await end(refund_id);
  await late.work(6, 300_000);
  assert.deepEqual(await state(), ['owed', 0, 1_000_000n]);
  late.able.onRefundRead = DONE;
  await late.work(6, 300_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('a refund that was ended by hand and that its provider carries out after a day without an answer is followed by no payout', async () => {
  await end(await refundTurnedAway());
  late.able.onRefundRead = UNKNOWN;
  await late.work(2, 300_000);
  const { updated_at } = await late.row();
  late.clock.advance(updated_at.getTime() + 86_400_000 - late.clock.now());
  late.able.onRefundRead = PENDING;
  await late.work(6, 86_400_000);
  assert.deepEqual(await state(), ['waiting', 0, 1_000_000n]);
  const ref = { team_id: late.merchant.team.id, id: (await late.row()).id };
  for (const _ of [1, 2]) {
    await retryReturn(late.api.deps, late.store, ref, WORKER);
    await late.work(6, 86_400_000);
    assert.deepEqual(await state(), ['waiting', 0, 1_000_000n]);
  }
});

test('a payout that was ended by hand and that its provider carries out is followed by no other when a person tries again', async () => {
  await end(await payoutTurnedAway());
  await late.work(6, 600_000);
  const sent = payouts();
  for (const one of [late.able, late.second])
    Object.assign(one, { onPayout: PAID, onPayoutRead: { ...PENDING, provider_ref: 'p-1' } });
  const ref = { team_id: late.merchant.team.id, id: (await late.row()).id };
  await retryReturn(late.api.deps, late.store, ref, WORKER);
  await late.work(6, 600_000);
  assert.deepEqual(await state(), ['owed', sent, 1_000_000n]);
  await late.work(3, 86_400_000);
  assert.deepEqual(await state(), ['waiting', sent, 1_000_000n]);
});
