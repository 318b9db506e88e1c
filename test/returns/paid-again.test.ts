import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { must } from '../../src/kit/errors.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import type { ResolvedAs } from '../../src/core/obligations/schema.ts';
import type { PayoutOutcome } from '../../src/providers/adapters/contract.ts';
import { recordLateRefund } from '../../src/core/returns/late.ts';
import { resolveReturn, retryReturn } from '../../src/core/returns/resolve.ts';
import { pollReturn } from '../../src/core/returns/service.ts';
import { Late } from './fixture.ts';

/** Returns whose money reached the payer more than once, in every order in which that becomes known. */
const late = new Late();
before(() => late.start());
after(() => late.api.stop());

const FULL = { kind: 'failed', reason: null, message: 'the wallet is full' } as const;
const PAID: PayoutOutcome = { kind: 'succeeded', provider_ref: 'p-late', amount_minor: 1_000_000n, currency: 'XAF' };
const DONE = { kind: 'succeeded', provider_ref: 'r-late' } as const;
const SAID = { evidence: 'statement line 7', author: 'awa' };
const team_id = () => late.merchant.team.id;
const wasDone = async (id: string | null) =>
  recordLateRefund(late.api.deps, late.store, { team_id: team_id(), id: must(id, 'it was tried') }, SAID, WORKER);
const decide = async (as: ResolvedAs) =>
  resolveReturn(late.api.deps, late.store, { team_id: team_id(), id: (await late.row()).id }, { as, ...SAID }, WORKER);
const state = async () => [(await late.row()).state, await late.hold()];

/** Asserts that the ledger is whole, and that it contains what the rows say. */
async function assertBooks(): Promise<void> {
  const found: unknown[] = [];
  await verifyLedger(late.store.db, (difference) => found.push(difference));
  await checkBooks(late.store.db, (difference) => void (difference.team_id === team_id() && found.push(difference)));
  assert.deepEqual(found, []);
}

/** A return of which a refund and a payout failed, and that waits for a person. */
async function unpaid() {
  await late.captured();
  late.able.onPayout = FULL;
  await late.work(8);
  const { refund_id, payout_id } = await late.row();
  assert.deepEqual(await state(), ['waiting', 1_000_000n]);
  return { refund_id, payout_id };
}

test('a refund and a payout that are found done in one check are a return made twice', async () => {
  await unpaid();
  late.able.onRefundRead = DONE;
  late.able.onPayoutRead = PAID;
  const { id } = await late.row();
  await pollReturn(late.store, late.clock.now(), { team_id: team_id(), id }, 'able');
  await late.work(4);
  assert.deepEqual(await state(), ['overpaid', -1_000_000n]);
  assert.deepEqual(await late.refunds(), ['failed', 'failed', 'failed'], 'the refund for the operator is not needed');
  await assertBooks();
  await decide('recovered');
  assert.deepEqual(await state(), ['resolved', 0n]);
  await assertBooks();
});

test('what reaches the payer a third time is missing too, and one decision is about all of it', async () => {
  for (const as of ['recovered', 'absorbed'] as const) {
    const { refund_id, payout_id } = await unpaid();
    await decide('returned');
    await wasDone(refund_id);
    await wasDone(payout_id);
    await late.work(2);
    assert.deepEqual(await state(), ['overpaid', -2_000_000n]);
    assert.equal((await late.row()).next_step_at, null, 'it waits for a person: no worker polls it');
    await assertBooks();
    await decide(as);
    assert.deepEqual(await state(), ['resolved', 0n]);
    await assertBooks();
  }
});

test('each decision about a return that was made too often is posted, a second of the same kind too', async () => {
  for (const as of ['recovered', 'absorbed'] as const) {
    const { refund_id, payout_id } = await unpaid();
    await decide('returned');
    for (const way of [refund_id, payout_id]) {
      await wasDone(way);
      assert.deepEqual(await state(), ['overpaid', -1_000_000n]);
      await decide(as);
      assert.deepEqual(await state(), ['resolved', 0n]);
      await assertBooks();
    }
  }
});

test('two that were done while a further payout is under way are a return made twice, however the payout ends', async () => {
  for (const onPayout of [FULL, null]) {
    const { refund_id, payout_id } = await unpaid();
    late.able.onPayout = { kind: 'unknown', message: 'no answer' };
    await retryReturn(late.api.deps, late.store, { team_id: team_id(), id: (await late.row()).id }, WORKER);
    await late.work(4);
    assert.deepEqual(await state(), ['paying_out', 0n]);
    await wasDone(refund_id);
    await wasDone(payout_id);
    late.able.onPayoutRead = onPayout ?? PAID;
    await late.work(4, 60_000);
    assert.deepEqual(await state(), ['overpaid', onPayout ? -1_000_000n : -2_000_000n]);
    await assertBooks();
  }
});

test('money that the merchant keeps and that reaches the payer after all is missing once, and the books say so', async () => {
  const { refund_id, payout_id } = await unpaid();
  await decide('kept');
  await assertBooks();
  await wasDone(refund_id);
  assert.deepEqual(await state(), ['overpaid', -1_000_000n]);
  await assertBooks();
  await decide('absorbed');
  await assertBooks();
  await wasDone(payout_id);
  await assertBooks();
  await decide('recovered');
  assert.deepEqual(await state(), ['resolved', 0n]);
  await assertBooks();
});
