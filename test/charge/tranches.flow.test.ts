import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/kit/clock.ts';
import { sql } from '../../src/kit/sql.ts';
import { readBalances } from '../../src/money/ledger/balances.ts';
import type { Provider } from '../../src/providers/adapters/contract.ts';
import { Registry } from '../setup/providers.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { paid, paymentIn, startPayment } from '../setup/pay.ts';

let api: Api;

/** Payments described so decline from their second piece on, or from their third, but for another channel. */
const DECLINES_LATER = 'declines later';
const DECLINES_LAST = 'declines the last';
const LANDING: Record<string, number> = { [DECLINES_LATER]: 1, [DECLINES_LAST]: 2 };

/** The sandbox, but for one thing that its numbers cannot say: the first pieces succeed, the next is declined. */
function decliningLater(): Provider {
  const sandbox = sandboxProvider({ clock: systemClock, delay_ms: 50 });
  const landed = new Map<string, number>();
  return {
    ...sandbox,
    submit: async (collection) => {
      const key = collection.return_url;
      const count = landed.get(key) ?? 0;
      const most = collection.channel.id === 'cm.mtn' ? LANDING[collection.description] : undefined;
      if (most !== undefined && count >= most) return { kind: 'refused', reason: 'insufficient_funds', message: 'test' };
      landed.set(key, count + 1);
      return sandbox.submit(collection);
    },
  };
}

before(async () => {
  const provider = decliningLater();
  api = await startApi({ providers: new Registry({ sandbox: [provider], live: [provider] }) });
});
after(() => api.stop());

interface Attempt {
  status: string;
}

test('an amount above 500000 XAF is collected in near-equal tranches, one prompt at a time, and succeeds when all are captured', async () => {
  const { id, answer } = await startPayment(api, { amount: 1_200_000 });
  assert.equal(answer.status, 202);
  const transaction = await paymentIn(api, id, ['succeeded']);
  assert.deepEqual([transaction.amount_captured, transaction.amount, transaction.settled], [1_200_000, 1_200_000, true]);
  const rows = await api.deps.stores.sandbox.db.all<{ amount_minor: bigint }>(
    sql`select amount_minor from attempts where payment_id = ${id} order by id`,
  );
  assert.deepEqual(
    rows.map((row) => row.amount_minor),
    [40_000_000n, 40_000_000n, 40_000_000n],
  );
  const events = (await api.call('GET', '/events?per_page=100')).body.items.filter(
    (event: { data: { id: string } }) => event.data.id === id,
  );
  assert.deepEqual(events.map((event: { event: string }) => event.event).reverse(), [
    'payment.created',
    'payment.processing',
    'payment.partial',
    'payment.partial',
    'payment.succeeded',
  ]);
});

test('exactly 500000 XAF is one charge; a bank or card charge is never split into tranches', async () => {
  const one = await paid(api, { amount: 500_000 });
  assert.equal((await api.call('GET', `/payments/${one}`)).body.transaction.attempts.length, 1);
  const created = await api.call('POST', '/payments', { body: { amount: 900_000, currency: 'XAF', phone: '1' } });
  const id = created.body.transaction.id;
  await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.bank', data: { account_number: '0001000000' } } });
  assert.equal((await paymentIn(api, id, ['succeeded'])).attempts.length, 1);
});

test('402 when the first tranche is declined: the payment is failed, like any charge', async () => {
  const { id, answer } = await startPayment(api, { amount: 1_200_000, phone: '650000001' });
  assert.equal(answer.status, 402);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'failed');
});

test('a later tranche that is declined leaves the payment partial; the payer can continue days later on another channel', async () => {
  const { db } = api.deps.stores.sandbox;
  const { id } = await startPayment(api, { amount: 1_200_000, fields: { description: DECLINES_LATER } });
  const partial = await until(
    async () => (await api.call('GET', `/payments/${id}`)).body.transaction,
    (transaction) => transaction.attempts.some((attempt: Attempt) => attempt.status === 'failed'),
  );
  assert.deepEqual([partial.status, partial.amount_captured], ['partial', 400_000]);
  const hold = (await readBalances(db, api.team.id, 'XAF')).get('hold');
  assert.ok((hold ?? 0n) >= 40_000_000n, 'captured pieces wait in hold');
  const resumed = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.orange', data: { phone: '690000000' } } });
  assert.equal(resumed.status, 202);
  assert.equal((await paymentIn(api, id, ['succeeded'])).amount_captured, 1_200_000);
});

test('the rest of a partial payment goes by a card that takes it, although it would not take the whole', async () => {
  const failedIn = async (amount: number) => {
    const { id } = await startPayment(api, { amount, fields: { description: DECLINES_LATER } });
    const partial = await until(
      async () => (await api.call('GET', `/payments/${id}`)).body.transaction,
      (transaction) => transaction.attempts.some((attempt: Attempt) => attempt.status === 'failed'),
    );
    assert.equal(partial.status, 'partial');
    return { id, left: amount - partial.amount_captured };
  };
  // A card takes 1,500,000 francs.
  const fits = await failedIn(1_800_000);
  assert.equal(fits.left, 1_350_000);
  const { status, body } = await api.call('POST', `/payments/${fits.id}`, { body: { channel: 'cm.card' } });
  assert.deepEqual([status, body.action?.kind], [202, 'redirect'], JSON.stringify(body));
  const large = await failedIn(3_000_000);
  assert.equal(large.left, 2_500_000);
  const refused = await api.call('POST', `/payments/${large.id}`, { body: { channel: 'cm.card' } });
  assert.deepEqual([refused.status, refused.body.errors], [422, { amount: ['must be at most 1500000 XAF on cm.card'] }]);
});

test('400 for cancelling a partial payment; 402 for a declined tranche', async () => {
  const { id } = await startPayment(api, { amount: 700_000, fields: { description: DECLINES_LATER } });
  await until(
    async () => (await api.call('GET', `/payments/${id}`)).body.transaction.attempts,
    (attempts) => attempts.some((attempt: Attempt) => attempt.status === 'failed'),
  );
  assert.equal((await api.call('DELETE', `/payments/${id}`)).body.error_code, 'payment_not_cancellable');
  const declined = await api.call('POST', `/payments/${id}`, { body: { channel: 'cm.mtn', data: { phone: '650000001' } } });
  assert.deepEqual([declined.status, declined.body.error_code], [402, 'insufficient_funds']);
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'partial');
});

for (const [description, tranches] of Object.entries(LANDING))
  test(`a partial payment expires at the end of its window, and every captured tranche is returned to the payer: ${tranches}`, async () => {
    const total = tranches * 400_000;
    const { db } = api.deps.stores.sandbox;
    const merchant = await api.newMerchant();
    const key = merchant.sandbox.secret;
    const { id } = await startPayment(api, { key, amount: 1_200_000, fields: { description } });
    await until(
      async () => (await api.call('GET', `/payments/${id}`, { key })).body.transaction.attempts,
      (attempts) => attempts.some((attempt: Attempt) => attempt.status === 'failed'),
    );
    await db.run(sql`update payments set expires_at = now() where id = ${id}`);
    await paymentIn(api, id, ['expired'], { key });
    const returned = await until(
      async () => (await api.call('GET', `/payments/${id}`, { key })).body.transaction,
      (transaction) => transaction.amount_refunded === total,
    );
    assert.deepEqual([returned.status, returned.amount_captured, returned.amount_refunded], ['expired', total, total]);
    const balances = await readBalances(db, merchant.team.id, 'XAF');
    assert.ok(
      [...balances.values()].every((amount) => amount === 0n),
      'nothing stays behind',
    );
    const { items } = (await api.call('GET', `/payments/${id}/refunds`, { key })).body;
    assert.deepEqual(
      items.map((refund: { amount: number; status: string }) => [refund.amount, refund.status]),
      Array(tranches).fill([400_000, 'succeeded']),
    );
  });

test('a refund of a payment in tranches is returned through the attempts that collected it', async () => {
  const id = await paid(api, { amount: 1_200_000 });
  const { body } = await api.call('POST', '/refunds', { body: { payment: id, amount: 900_000, reason: 'duplicate' } });
  assert.equal((await api.call('GET', `/refunds/${body.refund.id}`)).body.refund.status, 'succeeded');
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.amount_refunded, 900_000);
});

test('an amount above 500000 XOF is collected in tranches as well, though the operator would take more', async () => {
  const id = await paid(api, { amount: 1_200_000, currency: 'XOF', channel: 'ci.mtn', phone: '0500000000' });
  const rows = await api.deps.stores.sandbox.db.all<{ amount_minor: bigint }>(
    sql`select amount_minor from attempts where payment_id = ${id} order by id`,
  );
  assert.deepEqual(
    rows.map((row) => row.amount_minor),
    [40_000_000n, 40_000_000n, 40_000_000n],
  );
});
