import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Late } from './fixture.ts';

/** What the version before left behind, or still writes while it is replaced: every state of it goes on. */
const late = new Late();
before(() => late.start());
after(() => late.api.stop());

/** Puts the return back to what the version before knew: a mark on the attempt, and perhaps its one refund. */
async function asBefore(refund: 'none' | 'stuck' | 'pending' | 'processing' | 'failed' | 'succeeded'): Promise<void> {
  await late.captured();
  const { db } = late.store;
  const { attempt_id } = await late.row();
  if (refund === 'pending') await late.work(0);
  if (refund !== 'none' && refund !== 'stuck') {
    if (refund === 'processing') late.able.onRefund = { kind: 'pending', provider_ref: 'r-7', poll_after_ms: 1_000 };
    if (refund === 'succeeded') late.able.onRefund = { kind: 'succeeded', provider_ref: 'r-7' };
    const { returnSweep } = await import('../../src/core/returns/sweeps.ts');
    await returnSweep(late.api.deps, late.store).round();
    const { refundSweep } = await import('../../src/core/refunds/sweeps.ts');
    if (refund !== 'pending') await refundSweep(late.api.deps, late.store).round();
  }
  if (refund === 'stuck') {
    await db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, attempt_id, legs, amount_minor, currency, status, reason, created_at, updated_at)
      select team_id, replace(attempt_id, 'att_', 'rfd_'), payment_id, 'giveback', attempt_id,
        json_build_array(json_build_object('attempt_id', attempt_id, 'amount_minor', amount_minor::text, 'provider_key', id,
          'provider_ref', null, 'status', 'waiting')),
        amount_minor, currency, 'pending', 'transaction_error', created_at, created_at from returns where attempt_id = ${attempt_id}`);
  }
  late.clock.advance(1_000); // ids of one moment have no order
  await db.run(sql`update refunds set return_id = null where attempt_id = ${attempt_id}`);
  await db.run(sql`update attempts set giveback = ${refund === 'none'}, must_return = false where id = ${attempt_id}`);
  await db.run(sql`delete from returns where attempt_id = ${attempt_id}`);
}

for (const [left, refunds] of [
  ['none', ['failed', 'succeeded']],
  ['stuck', ['failed', 'succeeded']],
  ['pending', ['failed', 'succeeded']],
  ['failed', ['failed', 'succeeded']],
] as const) {
  test(`a reversal of the version before (${left}) becomes a return, and the money goes back`, async () => {
    await asBefore(left);
    await late.work(10);
    assert.deepEqual([(await late.row()).state, await late.hold(), await late.refunds()], ['returned', 0n, [...refunds]]);
    assert.deepEqual(
      await late.store.db.all(sql`select must_return, giveback from attempts where payment_id = ${late.payment}`),
      [{ must_return: true, giveback: false }],
    );
  });
}

test('a reversal in progress from the previous version continues with the same key, and a succeeded one is closed', async () => {
  await asBefore('processing');
  late.able.onRefundRead = { kind: 'succeeded', provider_ref: 'r-7' };
  await late.work(6, 60_000);
  assert.deepEqual([(await late.row()).state, late.able.refunded.length, await late.hold()], ['returned', 1, 0n]);
  await asBefore('succeeded');
  await late.work(3);
  assert.deepEqual([(await late.row()).state, await late.refunds()], ['returned', ['succeeded']]);
});

test('a payout of the previous version, on an account without refunds, continues as a payout with the same key', async () => {
  await asBefore('processing');
  await late.store.db.run(sql`update attempts set provider_account = 'second' where payment_id = ${late.payment}`);
  late.second.onPayoutRead = { kind: 'succeeded', provider_ref: 'p', amount_minor: 1_000_000n, currency: 'XAF' };
  await late.work(4, 60_000);
  const paidOut = late.able.paidOut.length + late.second.paidOut.length;
  assert.deepEqual([(await late.row()).state, paidOut, await late.hold()], ['returned', 0, 0n]);
});
