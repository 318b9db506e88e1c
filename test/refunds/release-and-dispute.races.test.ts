import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import { Registry } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { retentionSweep } from '../../src/core/payments/sweeps.ts';
import { checkBooks } from '../faults/books.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { many } from '../setup/many.ts';
import { paid } from '../setup/pay.ts';

/** Live, served by the sandbox provider, so that money really waits in its hold. */
let api: Api;
let clock: FakeClock;
const HOLD_MS = 24 * 3_600_000;
const ROUNDS = 5;

before(async () => {
  clock = new FakeClock();
  const provider = sandboxProvider({ clock, delay_ms: 0 });
  api = await startApi({
    clock,
    providers: new Registry({ sandbox: [provider], live: [provider] }),
    env: { CREDIT_CAP_LIVE: '1000000' },
  });
});
after(() => api.stop());

async function livePayment(amount: number): Promise<{ merchant: Merchant; key: string; payment: string }> {
  const merchant = await api.newMerchant({ verification_level: 4, plan: 'unlimited' });
  const key = merchant.live.secret;
  return { merchant, key, payment: await paid(api, { key, amount }) };
}

const refund = (key: string, payment: string, amount: number) =>
  api.call('POST', '/refunds', { key, body: { payment, amount, reason: 'duplicate' } });

async function balances(merchant: Merchant): Promise<Record<string, bigint>> {
  return Object.fromEntries(await readBalances(api.deps.stores.live.db, merchant.team.id, 'XAF'));
}

async function refundedOf(payment: string): Promise<bigint> {
  const row = await api.deps.stores.live.db.maybe<{ refunded_minor: bigint }>(
    sql`select refunded_minor from payments where id = ${payment}`,
  );
  return row?.refunded_minor ?? 0n;
}

for (let round = 1; round <= ROUNDS; round++) {
  test(`100 concurrent refunds of one payment never return more than was paid (${round})`, async () => {
    const { key, payment } = await livePayment(10_000);
    const answers = await many(100, () => refund(key, payment, 3_000));
    const made = answers.filter(({ status }) => status === 201).length;
    assert.equal(made, 3);
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 422 || status === 400),
      'the others are told why',
    );
    await until(
      () => refundedOf(payment),
      (refunded) => refunded === 900_000n,
    );
  });

  test(`a refund concurrent with the release of the same money draws it once (${round})`, async () => {
    const { merchant, key, payment } = await livePayment(20_000);
    assert.equal((await balances(merchant)).pending, 1_960_000n);
    clock.advance(HOLD_MS);
    const [answer] = await Promise.all([refund(key, payment, 5_000), retentionSweep(api.deps, api.deps.stores.live).round()]);
    assert.equal(answer.status, 201);
    await until(
      () => refundedOf(payment),
      (refunded) => refunded === 500_000n,
    );
    const after = await until(
      () => balances(merchant),
      ({ pending }) => pending === 0n,
    );
    assert.deepEqual([after.available, after.credit ?? 0n], [1_460_000n, 0n]);
  });

  test(`a refund concurrent with a dispute never pays twice (${round})`, async () => {
    const { merchant, key, payment } = await livePayment(20_000);
    const dispute = openDispute(api.deps, api.deps.stores.live, {
      team_id: merchant.team.id,
      payment_id: payment,
      reason: 'fraudulent',
    });
    const [answer, { amount_minor }] = await Promise.all([refund(key, payment, 15_000), dispute]);
    if (answer.status !== 201) assert.deepEqual([answer.status, answer.body.error_code], [400, 'payment_not_refundable']);
    // The dispute is opened in any case, because 5,000 are left beside the refund. It takes everything if it comes first, or before
    // the refund is sent: a chargeback cannot be declined, and that refund fails.
    const refunded = 2_000_000n - amount_minor;
    assert.ok(refunded === 0n || (refunded === 1_500_000n && answer.status === 201), `${refunded} beside ${answer.status}`);
    if (answer.status === 201) {
      const ended = await until(
        () => api.call('GET', `/refunds/${answer.body.refund.id}`, { key }).then(({ body }) => body.refund.status as string),
        (status) => status === 'succeeded' || status === 'failed',
      );
      assert.equal(ended, refunded === 0n ? 'failed' : 'succeeded');
    }
    assert.equal(await refundedOf(payment), refunded, 'together what was paid');
  });
}

test('the books are consistent afterwards', async () => {
  assert.deepEqual(await checkBooks(api.deps.stores.live.db), []);
});
