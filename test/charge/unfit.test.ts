import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Offer } from '../../src/providers/adapters/contract.ts';
import { startApi } from '../setup/api.ts';
import { paymentIn, startPayment } from '../setup/pay.ts';
import { Registry, type TestProvider } from '../setup/providers.ts';
import { offerOf } from '../routing/support.ts';

/** Charges and payouts of amounts that no provider account of the team can ever take. */
let offers: Record<string, readonly Offer[]> = {};

function accountOf(name: string): TestProvider {
  return {
    name,
    account_id: name,
    offers: () => offers[name] ?? [],
    submit: async ({ provider_key, amount_minor, currency }) =>
      ({ kind: 'succeeded', provider_ref: provider_key, amount_minor, currency }) as const,
    read: async () => ({ kind: 'pending', poll_after_ms: 60_000 }) as const,
    payouts: {
      reaches: () => true,
      submit: async () => ({ kind: 'unknown', message: 'not asked for' }) as const,
      read: async () => ({ kind: 'not_found' }) as const,
    },
  };
}

/** Whether this process cannot use another account of the team. */
let unusable = false;
const registry = new Registry({ sandbox: [accountOf('one'), accountOf('two')], live: [] });
const api = await startApi({ providers: Object.assign(registry, { anyUnusable: async () => unusable }) });
after(() => api.stop());
beforeEach(() => {
  offers = {};
  unusable = false;
});

const shillings = (changes: Partial<Offer>) => offerOf('ke.mpesa', 'KES', changes);
const francs = (changes: Partial<Offer>) => offerOf('cm.mtn', 'XAF', changes);
const MPESA = { amount: 1_010, currency: 'KES', channel: 'ke.mpesa', phone: '0712345678' };
const BORNE = { ...MPESA, fields: { bearer: 'customer' } };

test('422 when a total with the fee of the payer has decimals that no account takes: nothing was created', async () => {
  offers = { one: [shillings({ step_minor: 100n })] };
  const { id, answer } = await startPayment(api, BORNE);
  assert.equal(answer.status, 422, JSON.stringify(answer.body));
  assert.deepEqual(answer.body.errors, {
    amount: [
      'must be a whole number of KES on ke.mpesa with the fee of 20.2 KES that the payer bears: no provider account takes 1030.2 KES; use another amount or channel, or bearer merchant',
    ],
  });
  const { transaction } = (await api.call('GET', `/payments/${id}`)).body;
  assert.deepEqual([transaction.status, transaction.attempts], ['pending', []]);
});

test('another account that takes the decimals gets the charge', async () => {
  offers = { one: [shillings({ step_minor: 100n })], two: [shillings({})] };
  const { id, answer } = await startPayment(api, BORNE);
  assert.equal(answer.status, 202);
  const { amount_captured, attempts } = await paymentIn(api, id, ['succeeded']);
  assert.deepEqual([amount_captured, attempts.length, attempts[0].provider], [1_030.2, 1, 'two']);
});

test('422 below the least and above the largest amount of every account; the message has the limit', async () => {
  offers = { one: [shillings({ min_minor: 2_000_00n })], two: [shillings({ min_minor: 1_500_00n })] };
  const least = await startPayment(api, MPESA);
  assert.deepEqual(
    [least.answer.status, least.answer.body.errors.amount],
    [422, ['must be at least 1500 KES on ke.mpesa: no provider account takes 1010 KES; use another amount or channel']],
  );
  offers = { one: [offerOf('ke.card', 'KES', { max_minor: 500_00n })] };
  const { id } = (await api.call('POST', '/payments', { body: { amount: 1_010, currency: 'KES', phone: '1' } })).body.transaction;
  const most = await api.call('POST', `/payments/${id}`, { body: { channel: 'ke.card' } });
  assert.deepEqual(
    [most.status, most.body.errors?.amount],
    [422, ['must be at most 500 KES on ke.card: no provider account takes 1010 KES; use another amount or channel']],
  );
});

test('502 while an account that may take the amount cannot be used by this process; tranches are still cut', async () => {
  unusable = true;
  offers = { one: [shillings({ step_minor: 100n })] };
  assert.equal((await startPayment(api, BORNE)).answer.status, 502);
  // Only the last of three tranches would not be taken.
  offers = { one: [francs({ step_minor: 5_00n })] };
  assert.equal((await startPayment(api, { amount: 1_000_003 })).answer.status, 502);
  offers = { one: [francs({ max_minor: 300_000_00n })] };
  const { id } = await startPayment(api, { amount: 400_000 });
  assert.equal((await paymentIn(api, id, ['succeeded'])).attempts.length, 2);
});

test('422 before the first tranche when the last could not be taken', async () => {
  // 1,000,003 francs in three tranches begin with 333,335, a multiple of 5; what is left then is none.
  offers = { one: [francs({ step_minor: 5_00n })] };
  const { id, answer } = await startPayment(api, { amount: 1_000_003 });
  assert.deepEqual(
    [answer.status, answer.body.errors?.amount],
    [422, ['must be a multiple of 5 XAF on cm.mtn: no provider account takes 1000003 XAF; use another amount or channel']],
  );
  assert.equal((await api.call('GET', `/payments/${id}`)).body.transaction.status, 'pending');
});

for (const [amount, max, count] of [
  [400_000, 300_000, 2],
  [900_000, 300_000, 3],
  [1_000_000, 499_999, 3],
] as const)
  test(`${amount} XAF at an account that takes ${max} is collected in ${count} tranches`, async () => {
    offers = { one: [francs({ max_minor: 1_000_00n })], two: [francs({ max_minor: BigInt(max) * 100n, step_minor: 5_00n })] };
    const { id, answer } = await startPayment(api, { amount });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { amount_captured, attempts } = await paymentIn(api, id, ['succeeded']);
    assert.deepEqual([amount_captured, attempts.length], [amount, count]);
  });

test('an account that takes the whole is preferred to tranches', async () => {
  offers = { one: [francs({ max_minor: 100_000_00n })], two: [francs({})] };
  const { id } = await startPayment(api, { amount: 400_000 });
  assert.equal((await paymentIn(api, id, ['succeeded'])).attempts.length, 1);
});

test('422 when even the largest number of tranches would not do', async () => {
  offers = { one: [francs({ max_minor: 1_000_00n })] };
  const { answer } = await startPayment(api, { amount: 400_000 });
  assert.deepEqual(
    [answer.status, answer.body.errors?.amount],
    [422, ['must be at most 100000 XAF on cm.mtn: no provider account takes 400000 XAF; use another amount or channel']],
  );
});

test('422 when the account takes less than the step of the channel, so that there is no tranche', async () => {
  offers = { one: [offerOf('gn.orange', 'GNF', { max_minor: 500_00n })] };
  const { answer } = await startPayment(api, { amount: 20_000, currency: 'GNF', channel: 'gn.orange', phone: '620000000' });
  assert.deepEqual(
    [answer.status, answer.body.errors?.amount],
    [422, ['must be at most 500 GNF on gn.orange: no provider account takes 20000 GNF; use another amount or channel']],
  );
});

test('502 when no account offers the channel: an account may be added, and the charge tried again', async () => {
  offers = { one: [shillings({})] };
  assert.equal((await startPayment(api, { amount: 1_000 })).answer.status, 502);
});

test('422 for a payout of an amount that no account pays out', async () => {
  offers = { one: [francs({ step_minor: 5_00n })] };
  const transfer = (amount: number) =>
    api.call('POST', '/transfers', {
      body: { amount, currency: 'XAF', beneficiary: { name: 'Awa', phone: '+237670000000', channel: 'cm.mtn' } },
    });
  const { status, body } = await transfer(1_003);
  assert.deepEqual(
    [status, body.errors?.amount],
    [422, ['must be a multiple of 5 XAF on cm.mtn: no provider account takes 1003 XAF; use another amount or channel']],
  );
  assert.equal((await transfer(1_005)).status, 201);
});
