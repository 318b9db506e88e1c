import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { findEntries } from '../../src/tenants/audit/store.ts';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import type { Payout, PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { advanceReturn } from '../../src/core/returns/step.ts';
import { recheckFailedRefund, pollReturn } from '../../src/core/returns/service.ts';
import { returnSweep } from '../../src/core/returns/sweeps.ts';
import { endWay, findWay } from '../../src/core/refunds/ways.ts';
import { untilLocked } from '../setup/locks.ts';
import { Late } from './fixture.ts';

/** News of a way that had failed, or that comes out of its order. */
const late = new Late();
before(() => late.start());
after(async () => {
  const found: unknown[] = [];
  await verifyLedger(late.store.db, (difference) => found.push(difference));
  await checkBooks(late.store.db, (difference) => found.push(difference));
  await late.api.stop();
  assert.deepEqual(found, []);
});

const UNKNOWN = { kind: 'unknown', message: 'no answer' } as const;
const FULL = { kind: 'failed', reason: null, message: 'the wallet is full' } as const;
const PAID: PayoutOutcome = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const SAID = { evidence: 'statement line 7', author: 'awa' };
const ref = async () => ({ team_id: late.merchant.team.id, id: (await late.row()).id });
const refund = async () => ({ team_id: late.merchant.team.id, id: must((await late.row()).refund_id, 'a refund was tried') });
const payouts = () => late.able.paidOut.length + late.second.paidOut.length;
const state = async () => [(await late.row()).state, payouts(), await late.hold()];

/** The provider calls back about the payout, which it shows as paid from then on. */
const calledBack = async (account_id = 'able') => {
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, account_id);
  late.able.onPayoutRead = PAID;
};

test('the refund and the payout that the worker starts leave an audit entry each', async () => {
  await late.captured();
  await late.work(6);
  const { refund_id, payout_id } = await late.row();
  for (const resource_id of [refund_id, payout_id]) {
    const entries = await findEntries(late.store.db, { resource_id: must(resource_id, 'it was started') }, 10);
    assert.deepEqual(
      entries.map(({ actor, action }) => [actor, action]),
      [['worker', 'refund.create']],
    );
  }
});

test('a payout that is not known is not sent again once the refund was done after all', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  assert.deepEqual(await state(), ['paying_out', 1, 0n]);
  await recordLateRefund(late.api.deps, late.store, await refund(), SAID, WORKER);
  late.able.onPayoutRead = { kind: 'not_found' };
  await late.work(6, 600_000);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a payout that is about to be sent is not, when the refund is done after all at that moment', async (t) => {
  await late.captured();
  const { router } = late.api.deps;
  const choose = router.choose.bind(router);
  t.mock.method(router, 'choose', async (request: Parameters<typeof router.choose>[0]) => {
    const decision = await choose(request);
    const row = await late.row();
    if (row.state === 'paying_out' && !row.late_refund)
      await recordLateRefund(late.api.deps, late.store, await refund(), SAID, WORKER);
    return decision;
  });
  await late.work(6);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('a payout whose process was paused before it sent it is not sent when the refund was done after all meanwhile', async () => {
  await late.captured();
  while ((await late.row()).state !== 'paying_out') await late.work(1);
  const { db } = late.store;
  let paused = false;
  const transaction: typeof db.transaction = async (work, manner) => {
    const done = await db.transaction(work, manner);
    if (paused || (await late.row()).dispatched_at === null) return done;
    paused = true; // between the commit of the intent and the request
    await recordLateRefund(late.api.deps, late.store, await refund(), SAID, WORKER);
    late.able.onPayoutRead = { kind: 'not_found' };
    late.clock.advance(660_000);
    await late.work(6, 60_000);
    assert.equal((await late.row()).state, 'returned');
    return done;
  };
  await advanceReturn(late.api.deps, { ...late.store, db: { ...db, transaction } }, await late.row());
  assert.ok(paused);
  await late.work(6, 60_000);
  assert.deepEqual(await state(), ['returned', 0, 0n]);
});

test('"not taken" that comes after the provider was asked sends the payout to no other account', async () => {
  await late.captured();
  const answer = Promise.withResolvers<PayoutOutcome>();
  const reached = Promise.withResolvers<void>();
  const able = must(late.able.payouts, 'it pays out');
  const { submit } = able;
  able.submit = (payout) => {
    late.able.paidOut.push(payout);
    reached.resolve();
    return answer.promise;
  };
  const first = late.work(5);
  await reached.promise;
  able.submit = submit;
  late.clock.advance(61_000);
  late.able.onPayoutRead = { kind: 'pending', provider_ref: 'p-7', poll_after_ms: 60_000 };
  await returnSweep(late.api.deps, late.store).round();
  answer.resolve({ kind: 'unavailable', message: '503' });
  await first;
  await late.work(3, 60_000);
  assert.deepEqual(await state(), ['paying_out', 1, 0n]);
});

test('"not found" of a payout is as old as the question: a process that paused before it applied the answer sends nothing', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  await late.work(4);
  const { able, clock } = late;
  const { payout_id } = await late.row();
  // A question about a return that an earlier test left open would move the clock before this one is asked.
  await late.store.db.run(sql`update returns set next_step_at = null where payment_id <> ${late.payment}`);
  const sent = () => able.paidOut.filter(({ transfer_id }) => transfer_id === payout_id).length;
  assert.equal(sent(), 1);
  Object.defineProperty(able, 'onPayoutRead', {
    configurable: true,
    get: () => {
      clock.advance(3_600_000);
      return { kind: 'not_found' };
    },
  });
  clock.advance(61_000);
  await returnSweep(late.api.deps, late.store).round();
  Object.defineProperty(able, 'onPayoutRead', { configurable: true, writable: true, value: UNKNOWN });
  assert.deepEqual([(await late.row()).state, sent()], ['paying_out', 1]);
});

test('a callback about a failed refund is not forgotten while its provider does not answer', async () => {
  await late.captured();
  await late.work(8);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
  late.able.onRefundRead = UNKNOWN;
  const { team_id, id } = await refund();
  await recheckFailedRefund(late.store, late.clock.now(), team_id, id);
  await late.work(2);
  late.able.onRefundRead = DONE;
  await late.work(3, 600_000);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});

test('a callback about a payout that had failed and was paid after all is the return: a person pays nothing', async () => {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  assert.deepEqual(await state(), ['waiting', 1, 1_000_000n]);
  late.able.onPayoutRead = PAID;
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
  await late.work(4);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
  assert.equal((await late.call('GET', `/payments/${late.payment}`)).transaction.amount_refunded, 10_000);
});

test('a payout that could not be read is read again, though the refund was found done at the same time', async () => {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  assert.deepEqual(await state(), ['waiting', 1, 1_000_000n]);
  late.able.onRefundRead = DONE;
  late.able.onPayoutRead = UNKNOWN;
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
  await late.work(3);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
  late.able.onPayoutRead = PAID;
  await late.work(3, 600_000);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});

test('a callback about a failed payout that its provider does not show yet is not forgotten', async () => {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  late.able.onPayoutRead = { kind: 'not_found' };
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
  await late.work(2);
  late.able.onPayoutRead = PAID;
  await late.work(3, 600_000);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a callback that comes while the failure of a payout is on its way has the payout read again: a person pays nothing', async () => {
  await late.captured();
  const able = must(late.able.payouts, 'it pays out');
  const { submit } = able;
  able.submit = async (payout) => {
    able.submit = submit;
    await submit.call(able, payout);
    await calledBack();
    return FULL;
  };
  await late.work(8);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

for (const said of [
  { kind: 'unavailable', message: '503' },
  { kind: 'unfunded', message: 'the float is empty' },
] as const)
  for (const news of ['before', 'after'] as const) {
    test(`a payout of a return about which its provider calls back ${news} "${said.kind}" is stored is sent to no other`, async () => {
      await late.captured();
      const able = must(late.able.payouts, 'it pays out');
      const { submit } = able;
      able.submit = async (payout) => {
        able.submit = submit;
        await submit.call(able, payout);
        if (news === 'before') await calledBack();
        return said;
      };
      for (let step = 0; payouts() === 0; step++) {
        assert.ok(step < 10, 'it is never sent');
        await late.work(1, 60_000);
      }
      if (news === 'after') await calledBack();
      await late.work(8, 60_000);
      assert.deepEqual(await state(), ['returned', 1, 0n]);
    });
  }

for (const said of [
  { kind: 'unavailable', message: '503' },
  { kind: 'unfunded', message: 'the float is empty' },
] as const)
  test(`a payout of a return that its only account calls "${said.kind}" is not sent again unread while it waits for its next try`, async (t) => {
    await late.captured();
    const second = must(late.second.payouts, 'it pays out');
    t.mock.method(late.able.payouts as object as { reaches(): boolean }, 'reaches', () => false);
    const { submit } = second;
    second.submit = async (payout) => {
      second.submit = submit;
      await submit.call(second, payout);
      return said;
    };
    for (let step = 0; late.second.paidOut.length === 0; step++) {
      assert.ok(step < 10, 'it is never sent');
      await late.work(1, 60_000);
    }
    await late.work(1, 1);
    assert.deepEqual((await late.row()).tried, []);
    await calledBack('second');
    late.second.onPayoutRead = PAID;
    await late.work(8, 60_000);
    assert.deepEqual([(await late.row()).state, late.second.paidOut.length], ['returned', 1]);
  });

test('a payout of a return that lacked funds, and that its account shows after a callback, is sent again under the same key', async (t) => {
  await late.captured();
  const second = must(late.second.payouts, 'it pays out');
  t.mock.method(late.able.payouts as object as { reaches(): boolean }, 'reaches', () => false);
  const keys: string[] = [];
  const pending = { kind: 'pending', provider_ref: null, poll_after_ms: 1_000 } as const;
  t.mock.method(second, 'submit', async (payout: Payout) => {
    if (payout.description === late.payment) keys.push(payout.provider_key);
    return keys.length === 1 ? { kind: 'unfunded', message: 'the float is empty' } : pending;
  });
  const read = t.mock.method(second, 'read', async (): Promise<PayoutOutcome> => pending);
  for (let step = 0; step < 12 && keys.length === 0; step++) await late.work(1, 60_000);
  await calledBack('second');
  await late.work(2, 60_000);
  read.mock.mockImplementation(async () => ({ kind: 'not_found' }) as const);
  await late.work(6, 300_000);
  assert.deepEqual([new Set(keys).size, keys.length > 1], [1, true]);
  read.mock.mockImplementation(async () => PAID);
  await late.work(3, 300_000);
  assert.equal((await late.row()).state, 'returned');
});

test('a callback of one account does not bind a payout to another that is down', async (t) => {
  await late.captured();
  const [able, second] = [must(late.able.payouts, 'it pays out'), must(late.second.payouts, 'it pays out')];
  let asked = 0;
  const empty = t.mock.method(able, 'submit', async () => ({ kind: 'unfunded', message: 'the float is empty' }));
  t.mock.method(second, 'submit', async () => {
    asked += 1;
    return { kind: 'unavailable', message: '503' };
  });
  t.mock.method(second, 'read', async () => ({ kind: 'not_found' }));
  for (let step = 0; step < 12 && asked === 0; step++) await late.work(1, 1);
  empty.mock.restore();
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
  await late.work(10, 300_000);
  assert.equal((await late.row()).state, 'returned');
});

test('a callback about a payout that is no longer needed, and that its provider does not know yet, is not forgotten', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  await recordLateRefund(late.api.deps, late.store, await refund(), SAID, WORKER);
  const able = must(late.able.payouts, 'it pays out');
  const { read } = able;
  able.read = async () => {
    able.read = read;
    await calledBack();
    return { kind: 'not_found' };
  };
  late.clock.advance(3_600_000);
  await late.work(6, 600_000);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});

test('a callback that finds a payout under way while its failure is being committed has it read after that', async () => {
  await late.captured();
  late.able.onPayout = UNKNOWN;
  late.able.onPayoutRead = UNKNOWN;
  await late.work(6);
  const { team_id, id } = await ref();
  const payout = must(
    await findWay(late.store.db, team_id, must((await late.row()).payout_id, 'a payout is under way')),
    'it exists',
  );
  const context = { environment: 'live' as const, at: late.clock.now(), listeners: late.api.deps.listeners };
  let told: Promise<unknown> = Promise.resolve();
  await late.store.db.transaction(async (tx) => {
    await endWay(tx, context, payout, { kind: 'failed', reason: 'operator_declined', message: 'declined' });
    told = pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
    await untilLocked(late.api.databases.live);
  });
  await told;
  late.able.onPayoutRead = PAID;
  await late.work(4);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a payout that a person lets the service try again is not sent before the one called back about has been read', async () => {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  late.able.onPayoutRead = UNKNOWN;
  const { team_id, id } = await ref();
  await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
  await late.work(1);
  await retryReturn(late.api.deps, late.store, { team_id, id }, WORKER);
  late.able.onPayout = null;
  await late.work(4);
  assert.deepEqual(await state(), ['owed', 1, 1_000_000n]);
  late.able.onPayoutRead = PAID;
  await late.work(4, 300_000);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
});

test('a payout paid after all beside a second one, or beside what a person did, is a return made twice', async () => {
  for (const other of ['retry', 'person'] as const) {
    await late.captured();
    late.able.onPayout = FULL;
    await late.work(8);
    late.able.onPayout = null;
    if (other === 'retry') await retryReturn(late.api.deps, late.store, await ref(), WORKER);
    else await resolveReturn(late.api.deps, late.store, await ref(), { as: 'returned', ...SAID }, WORKER);
    await late.work(4);
    late.able.onPayoutRead = PAID;
    const { team_id, id } = await ref();
    await pollReturn(late.store, late.clock.now(), { team_id, id }, 'able');
    await late.work(3);
    assert.deepEqual([(await late.row()).state, await late.hold()], ['overpaid', -1_000_000n], other);
  }
});

test('a refund and a payout that had both failed and were both done are a return made twice', async () => {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  const payout = must((await late.row()).payout_id, 'a payout was tried');
  await recordLateRefund(late.api.deps, late.store, await refund(), SAID, WORKER);
  await late.work(3);
  assert.deepEqual(await state(), ['returned', 1, 0n]);
  await recordLateRefund(late.api.deps, late.store, { team_id: late.merchant.team.id, id: payout }, SAID, WORKER);
  assert.deepEqual(await state(), ['overpaid', 1, -1_000_000n]);
});
