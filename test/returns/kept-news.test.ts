import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { must } from '../../src/kit/errors.ts';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { SENDING_MS } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { pollRefund } from '../../src/core/refunds/service.ts';
import { pollReturn, recheckFailedRefund } from '../../src/core/returns/service.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import type { ReturnRow } from '../../src/core/obligations/schema.ts';
import { lockRefund } from '../../src/core/refunds/store.ts';
import { advancePayout } from '../../src/core/returns/pay-out.ts';
import { untilLocked } from '../setup/locks.ts';
import { Late } from './fixture.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';

/** Callbacks about a failed refund that come while something else about its return is decided: all of them are read. */
const late = new Late();
before(() => late.start());
after(() => late.api.stop());

const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const;
const REFUSED = { kind: 'failed', reason: 'operator_declined', message: 'refused for good' } as const;
const PAYOUT_REFUSED = { kind: 'failed', reason: null, message: 'refused for good' } as const;
const CLOSED = { kind: 'unavailable', message: '503' } as const;
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const PAID: PayoutOutcome = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;
const state = async () => [(await late.row()).state, payouts(), await late.hold()];
const news = async () =>
  recheckFailedRefund(late.store, late.clock.now(), late.merchant.team.id, must((await late.row()).refund_id, 'tried'));

/** What every account answers about payouts from now on. */
function allAnswer(answers: Partial<Pick<Late['able'], 'onPayout' | 'onPayoutRead'>>): void {
  for (const one of [late.able, late.second]) Object.assign(one, answers);
}

/** A callback comes while the refund is read the next time; from then on the refund is done. */
function newsDuringRead(answer: typeof REFUSED | typeof DONE = REFUSED): void {
  const refunds = must(late.able.refunds, 'it refunds');
  const { read } = refunds;
  refunds.read = async () => {
    refunds.read = read;
    late.able.onRefundRead = DONE;
    await news();
    return answer;
  };
}

test('a callback about a failed refund outlives the success of the payout under way', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  late.able.onRefundRead = UNKNOWN;
  await news();
  await late.work(1);
  late.able.onPayoutRead = PAID;
  await late.work(4, 60_000);
  assert.equal((await late.row()).state, 'returned');
  late.able.onRefundRead = DONE;
  await late.work(4, 600_000);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});

test('a callback about a failed refund that comes just before a person is asked is read', async (t) => {
  await late.captured();
  for (const one of [late.able, late.second])
    t.mock.method(one.payouts as object as { reaches(): boolean }, 'reaches', () => false);
  newsDuringRead();
  await late.work(8);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('no payout is sent while the refund that called back is pending or cannot be read', async () => {
  for (const said of [{ kind: 'pending', provider_ref: null, poll_after_ms: 1_000 } as const, UNKNOWN]) {
    await late.captured();
    allAnswer({ onPayout: CLOSED });
    await late.work(8, 1_000);
    assert.deepEqual([(await late.row()).state, (await late.row()).dispatched_at], ['paying_out', null]);
    const before = payouts();
    late.able.onRefundRead = said;
    await news();
    allAnswer({ onPayout: null });
    await late.work(6, 300_000);
    assert.equal(payouts(), before, said.kind);
    late.able.onRefundRead = DONE;
    await late.work(4, 300_000);
    assert.deepEqual(await state(), ['returned', before, 0n]);
  }
});

test('a callback that comes while a failed refund is read again is not forgotten', async () => {
  await late.captured();
  await late.work(8);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
  newsDuringRead();
  await news();
  await late.work(6, 60_000);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});

/** A callback about a refund comes before the answer to its submission, which is a refusal, is stored. */
function newsBeforeRefusal(): void {
  const refunds = must(late.able.refunds, 'it refunds');
  const { submit } = refunds;
  refunds.submit = async (refund) => {
    refunds.submit = submit;
    await submit.call(refunds, refund);
    await pollRefund(late.store, late.clock.now(), late.merchant.team.id, refund.refund_id);
    await news();
    return REFUSED;
  };
}

test('a callback about a refund that comes while its failure is on its way is read, although the refund is not shown yet', async () => {
  await late.captured();
  newsBeforeRefusal();
  late.able.onRefundRead = { kind: 'not_found' };
  await late.work(4);
  late.able.onRefundRead = DONE;
  await late.work(3, 600_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('a callback about a refund that comes while its failure is on its way is read although a person resolves the return before', async () => {
  await late.captured();
  newsBeforeRefusal();
  late.able.onRefundRead = UNKNOWN;
  await late.work(2);
  const { id } = await late.row();
  const said = { as: 'returned', evidence: 'cash', author: 'ops' } as const;
  await resolveReturn(late.api.deps, late.store, { team_id: late.merchant.team.id, id }, said, WORKER);
  late.able.onRefundRead = DONE;
  await late.work(3, 600_000);
  assert.deepEqual(await state(), ['overpaid', 0, -1_000_000n]);
});

test('a success that answers a payout which a person has resolved as failed meanwhile is read again', async () => {
  await late.captured();
  const able = must(late.able.payouts, 'it pays out');
  const { submit } = able;
  able.submit = async (payout) => {
    able.submit = submit;
    await submit.call(able, payout);
    late.clock.advance(SENDING_MS);
    const ref = { team_id: late.merchant.team.id, id: payout.transfer_id, part: null };
    await resolveRefund(late.api.deps, late.store, ref, { as: 'failed', evidence: 'e', author: 'a' }, WORKER);
    late.able.onPayoutRead = PAID;
    return PAID;
  };
  await late.work(8);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a poll of a payout that a callback has scheduled is kept when an older answer decides nothing', async () => {
  await late.captured();
  allAnswer({ onPayout: UNKNOWN, onPayoutRead: UNKNOWN });
  await late.work(6);
  const { id } = await late.row();
  const able = must(late.able.payouts, 'it pays out');
  const { read } = able;
  late.clock.advance(600_000);
  const at = new Date(late.clock.now());
  able.read = async () => {
    able.read = read;
    await pollReturn(late.store, at.getTime(), { team_id: late.merchant.team.id, id }, 'able');
    return UNKNOWN;
  };
  await late.work(1);
  assert.deepEqual((await late.row()).next_step_at, at);
  allAnswer({ onPayoutRead: PAID });
  await late.work(2, 600_000);
  assert.equal((await late.row()).state, 'returned');
});

/** All accounts have turned the payout away, and it is not sent. */
async function turnedAway(): Promise<{ known: ReturnRow; payout_id: string }> {
  await late.captured();
  allAnswer({ onPayout: CLOSED });
  await late.work(8, 1_000);
  const known = await late.row();
  assert.deepEqual([known.state, known.dispatched_at], ['paying_out', null]);
  allAnswer({ onPayout: null });
  return { known, payout_id: must(known.payout_id, 'a payout is under way') };
}

test('a payout that calls back counts as sent to the account that has turned it away by then, not to one that had before', async () => {
  const { known, payout_id } = await turnedAway();
  const at = new Date(late.clock.now());
  await late.store.db.run(sql`update returns set dispatched_at = ${at} where id = ${known.id}`);
  const account = (name: string) =>
    late.store.db.run(
      sql`update refunds set legs = jsonb_set(legs::jsonb, '{0,provider_account}', to_jsonb(${name}::text))::json where id = ${payout_id}`,
    );
  await account('able');
  const { db } = late.store;
  const paused: Db = {
    ...db,
    transaction: async (work, manner) => {
      await account('second');
      return db.transaction(work, manner);
    },
  };
  await advancePayout(late.api.deps, { ...late.store, db: paused }, await late.row());
  assert.deepEqual([(await late.row()).account_id, payouts()], ['second', 2]);
  allAnswer({ onPayoutRead: PAID });
  await late.work(2, 600_000);
  assert.deepEqual([(await late.row()).state, payouts()], ['returned', 2]);
});

test('a payout is not sent while a statement that shows the failed refund as paid is being recorded', async () => {
  const { known } = await turnedAway();
  const { team_id, refund_id, payment_id } = known;
  const failed = must(refund_id, 'it was tried');
  const before = payouts();
  let step: Promise<void> = Promise.resolve();
  await late.store.db.transaction(async (tx) => {
    await lockRefund(tx, team_id, failed);
    await tx.run(sql`
      insert into journals (team_id, kind, source_id, subject_id) values (${team_id}, 'reconciliation.late', ${`${failed}:0`}, ${payment_id})`);
    step = advancePayout(late.api.deps, late.store, known);
    await Promise.race([step, untilLocked(late.api.databases.live, 'refunds')]);
  });
  await step;
  assert.equal(payouts(), before);
  late.clock.advance(600_000);
  await late.work(2);
  assert.deepEqual([(await late.row()).state, payouts()], ['waiting', before]);
});

test('a payout that is not known is not sent again while a refund that called back cannot be read', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  late.able.onRefundRead = UNKNOWN;
  await news();
  late.able.onPayoutRead = { kind: 'not_found' };
  await late.work(4, 600_000);
  assert.equal(payouts(), 1);
});

test('a callback about a failed refund is read although a person resolves the return before', async () => {
  await late.captured();
  allAnswer({ onPayout: PAYOUT_REFUSED });
  await late.work(8);
  assert.equal((await late.row()).state, 'waiting');
  late.able.onRefundRead = UNKNOWN;
  await news();
  await late.work(2);
  const said = { as: 'returned', evidence: 'cash', author: 'ops' } as const;
  await resolveReturn(late.api.deps, late.store, { team_id: late.merchant.team.id, id: (await late.row()).id }, said, WORKER);
  late.able.onRefundRead = DONE;
  await late.work(3, 600_000);
  assert.equal((await late.row()).state, 'overpaid');
});

test('a refund that called back just after it was sent, and is not shown yet, is read again', async () => {
  await late.captured();
  await late.work(8);
  late.able.onRefundRead = { kind: 'not_found' };
  await news();
  await late.work(2);
  late.able.onRefundRead = DONE;
  await late.work(3, 600_000);
  assert.equal((await late.row()).state, 'overpaid');
});

test('a return that waits for a person ends when its refund was done after all, also when that was called back about twice', async () => {
  await late.captured();
  allAnswer({ onPayout: PAYOUT_REFUSED, onPayoutRead: PAYOUT_REFUSED });
  await late.work(8);
  assert.equal((await late.row()).state, 'waiting');
  newsDuringRead(DONE);
  await news();
  await late.work(6, 60_000);
  assert.deepEqual([(await late.row()).state, await late.hold()], ['returned', 0n]);
});

test('a payout that no account can pay any more does not end when its provider calls back at that moment', async (t) => {
  await late.captured();
  allAnswer({ onPayout: CLOSED });
  await late.work(8, 1_000);
  const { id, payout_id, dispatched_at } = await late.row();
  assert.equal(dispatched_at, null);
  const turned = await late.store.db.maybe<{ account: string }>(
    sql`select legs->0->>'provider_account' as account from refunds where id = ${payout_id}`,
  );
  const ref = { team_id: late.merchant.team.id, id };
  for (const one of [late.able, late.second])
    t.mock.method(one.payouts as object as { reaches(): boolean }, 'reaches', () => false);
  const { router } = late.api.deps;
  const choose = router.choose.bind(router);
  t.mock.method(router, 'choose', async (...asked: Parameters<typeof choose>) => {
    const found = await choose(...asked);
    await pollReturn(late.store, late.clock.now(), ref, must(turned, 'it was turned away').account);
    return found;
  });
  late.clock.advance(600_000);
  await late.work(1);
  const now = await late.row();
  assert.deepEqual([now.state, now.dispatched_at === null], ['paying_out', false]);
});
