import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDispute } from '../../src/core/disputes/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { paid, paymentIn, startPayment } from '../setup/pay.ts';

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

const refund = (body: object, headers: Record<string, string> = {}) => api.call('POST', '/refunds', { body, headers });

describe('POST /refunds', () => {
  test('201 returns pending, and the next read returns it settled', async () => {
    const payment = await paid(api);
    const { status, body } = await refund({ payment, amount: 10_000, reason: 'duplicate', metadata: { ticket: 7 } });
    assert.equal(status, 201);
    assert.equal(body.status, 'Created');
    assert.deepEqual(
      { ...body.refund, id: '', created_at: '', updated_at: '' },
      {
        id: '',
        payment,
        amount: 10_000,
        currency: 'XAF',
        status: 'pending',
        reason: 'duplicate',
        failure_reason: null,
        message: null,
        fee: 0,
        sandbox: true,
        metadata: { ticket: 7 },
        created_at: '',
        updated_at: '',
        completed_at: null,
      },
    );
    assert.match(body.refund.id, /^rfd_test_/);
    const read = await api.call('GET', `/refunds/${body.refund.id}`);
    assert.equal(read.body.refund.status, 'succeeded');
    assert.ok(read.body.refund.completed_at);
    const { transaction } = (await api.call('GET', `/payments/${payment}`)).body;
    assert.deepEqual([transaction.status, transaction.amount_refunded], ['partially_refunded', 10_000]);
  });

  test('201 without an amount refunds the remainder, and the payment is refunded', async () => {
    const payment = await paid(api);
    await refund({ payment, amount: 5_000, reason: 'wrong_amount' });
    const { body } = await refund({ payment, reason: 'customer_complaint' });
    assert.equal(body.refund.amount, 20_000);
    const transaction = await paymentIn(api, payment, ['refunded']);
    assert.equal(transaction.amount_refunded, 25_000);
  });

  test('refunds leave the time at which the payment became final', async () => {
    const payment = await paid(api);
    const { completed_at } = await paymentIn(api, payment, ['succeeded']);
    await refund({ payment, amount: 5_000, reason: 'wrong_amount' });
    const part = await paymentIn(api, payment, ['partially_refunded']);
    await refund({ payment, reason: 'customer_complaint' });
    const whole = await paymentIn(api, payment, ['refunded']);
    assert.deepEqual([part.completed_at, whole.completed_at], [completed_at, completed_at]);
    assert.ok(whole.updated_at > completed_at);
  });

  test('the fee that a customer has paid is no part of what can be refunded', async () => {
    const payment = await paid(api, { bearer: 'customer' });
    assert.equal((await api.call('GET', `/payments/${payment}`)).body.transaction.amount_captured, 25_500);
    assert.equal((await refund({ payment, amount: 25_001, reason: 'duplicate' })).status, 422);
    const { body } = await refund({ payment, reason: 'duplicate' });
    assert.equal(body.refund.amount, 25_000);
    await paymentIn(api, payment, ['refunded']);
  });

  test('422 for more than the remainder, three decimals, decimals of a whole currency, zero, wrong types, unknown reasons', async () => {
    const payment = await paid(api);
    const cases: [object, string][] = [
      [{ payment, amount: 25_001, reason: 'duplicate' }, 'amount'],
      [{ payment, amount: 1.234, reason: 'duplicate' }, 'amount'],
      [{ payment, amount: 10.5, reason: 'duplicate' }, 'amount'],
      [{ payment, amount: 0, reason: 'duplicate' }, 'amount'],
      [{ payment, amount: '10', reason: 'duplicate' }, 'amount'],
      [{ payment, amount: -1, reason: 'duplicate' }, 'amount'],
      [{ payment, amount: 10, reason: 'because' }, 'reason'],
      [{ payment, amount: 10 }, 'reason'],
      [{ amount: 10, reason: 'duplicate' }, 'payment'],
      [{ payment, amount: 10, reason: 'duplicate', metadata: 'x' }, 'metadata'],
      [{ payment, amount: 10, reason: 'duplicate', metadata: { text: 'x'.repeat(17_000) } }, 'metadata'],
    ];
    for (const [body, field] of cases) {
      const answer = await refund(body);
      assert.equal(answer.status, 422, JSON.stringify(body));
      assert.ok(answer.body.errors[field], JSON.stringify(answer.body));
    }
    assert.equal((await api.call('GET', `/payments/${payment}/refunds`)).body.meta.total, 0);
  });

  test('400 payment_not_refundable before it has succeeded, and after it was refunded', async () => {
    const pending = (await api.call('POST', '/payments', { body: { amount: 100, currency: 'XAF', phone: '1' } })).body.transaction
      .id;
    const { id: failed } = await startPayment(api, { phone: '650000001' });
    const refunded = await paid(api);
    await refund({ payment: refunded, reason: 'duplicate' });
    for (const payment of [pending, failed, refunded]) {
      const answer = await refund({ payment, reason: 'duplicate' });
      assert.deepEqual([answer.status, answer.body.error_code], [400, 'payment_not_refundable']);
    }
  });

  test('400 payment_not_refundable during an open dispute, also after its evidence was sent, and after a lost one', async () => {
    const payment = await paid(api);
    const dispute = await openDispute(api.deps, api.deps.stores.sandbox, {
      team_id: api.team.id,
      payment_id: payment,
      reason: 'fraudulent',
    });
    assert.equal((await refund({ payment, reason: 'duplicate' })).body.error_code, 'payment_not_refundable');
    const evidence = { receipt: 'https://shop.example/r/1' };
    assert.equal((await api.call('POST', `/disputes/${dispute.id}/evidence`, { body: { evidence } })).status, 200);
    assert.equal((await refund({ payment, reason: 'duplicate' })).body.error_code, 'payment_not_refundable');
    assert.equal((await api.call('POST', `/disputes/${dispute.id}/accept`)).status, 200);
    assert.equal((await refund({ payment, reason: 'duplicate' })).body.error_code, 'payment_not_refundable');
  });

  test("404 Payment Not Found for an unknown payment, another team's, and another environment's", async () => {
    const payment = await paid(api);
    const other = await api.newMerchant();
    const ids = [payment.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'trx_nothing', payment.replace('test_', '')];
    for (const id of ids) assert.equal((await refund({ payment: id, reason: 'duplicate' })).body.message, 'Payment Not Found');
    for (const key of [other.sandbox.secret, other.live.secret, api.keys.live.secret]) {
      const answer = await api.call('POST', '/refunds', { key, body: { payment, reason: 'duplicate' } });
      assert.deepEqual([answer.status, answer.body.message], [404, 'Payment Not Found']);
    }
  });

  test('406 with a public key', async () => {
    const answer = await api.call('POST', '/refunds', { key: api.keys.sandbox.public, body: {} });
    assert.deepEqual([answer.status, answer.body.message], [406, 'Private Key Required']);
  });

  test('201 replays the response of an Idempotency-Key and refunds once; 422 with another payload', async () => {
    const payment = await paid(api);
    const body = { payment, amount: 1_000, reason: 'duplicate' };
    const first = await refund(body, { 'idempotency-key': 'refund-1' });
    const second = await refund(body, { 'idempotency-key': 'refund-1' });
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await refund({ ...body, amount: 2_000 }, { 'idempotency-key': 'refund-1' })).status, 422);
    assert.equal((await api.call('GET', `/payments/${payment}`)).body.transaction.amount_refunded, 1_000);
  });

  test('a refund to a number that ends in 000009 fails and returns the money to the merchant', async () => {
    const merchant = await api.newMerchant();
    const key = merchant.sandbox.secret;
    const payment = await paid(api, { key, phone: '650000009' });
    const { body } = await api.call('POST', '/refunds', { key, body: { payment, reason: 'duplicate' } });
    const read = (await api.call('GET', `/refunds/${body.refund.id}`, { key })).body.refund;
    assert.deepEqual([read.status, read.failure_reason], ['failed', 'operator_declined']);
    assert.equal((await api.call('GET', `/payments/${payment}`, { key })).body.transaction.status, 'succeeded');
    const balance = (await api.call('GET', '/balance', { key })).body;
    assert.deepEqual([balance.available, balance.credit, balance.total], [24_500, 0, 24_500]);
  });

  test('events: the refund was created and succeeded, and its payment was partially refunded last, each in its own sequence', async () => {
    const merchant = await api.newMerchant();
    const key = merchant.sandbox.secret;
    const payment = await paid(api, { key });
    const { body } = await api.call('POST', '/refunds', { key, body: { payment, amount: 100, reason: 'duplicate' } });
    const answer = await api.call('GET', '/events?per_page=100', { key });
    // The order of items is that of time; two events of one millisecond are in either order.
    const sequences = (answer.headers.get('x-service-sequence') ?? '').split(',').map(Number);
    const events: { event: string; data: { id: string } }[] = answer.body.items;
    const of = (id: string) =>
      events
        .flatMap(({ event, data }, i) => (data.id === id ? [{ sequence: sequences[i], event }] : []))
        .sort((a, b) => Number(a.sequence) - Number(b.sequence));
    assert.deepEqual(of(body.refund.id), [
      { sequence: 1, event: 'refund.created' },
      { sequence: 2, event: 'refund.succeeded' },
    ]);
    const ofPayment = of(payment);
    assert.deepEqual(ofPayment.at(-1), { sequence: ofPayment.length, event: 'payment.partially_refunded' });
    const succeeded = events.find(({ event }) => event === 'refund.succeeded');
    assert.deepEqual(succeeded?.data, (await api.call('GET', `/refunds/${body.refund.id}`, { key })).body.refund);
  });
});

describe('GET /refunds', () => {
  test('200 lists by payment and status, with both types of paging', async () => {
    const payment = await paid(api);
    for (let i = 0; i < 3; i++) await refund({ payment, amount: 100 + i, reason: 'duplicate' });
    const list = (await api.call('GET', `/refunds?payment=${payment}&status=succeeded&per_page=2`)).body;
    assert.deepEqual([list.items.length, list.meta.total, list.meta.last_page], [2, 3, 2]);
    const rest = (await api.call('GET', `/refunds?payment=${payment}&per_page=2&cursor=${list.meta.next_cursor}`)).body;
    assert.deepEqual([rest.items.length, rest.meta.has_more], [1, false]);
    assert.equal((await api.call('GET', `/payments/${payment}/refunds`)).body.meta.total, 3);
  });

  test("404 Resource Not Found for an unknown id and another team's", async () => {
    const payment = await paid(api);
    const { body } = await refund({ payment, amount: 100, reason: 'duplicate' });
    const other = await api.newMerchant();
    for (const [id, key] of [
      ['rfd_test_x', api.keys.sandbox.secret],
      [body.refund.id, other.sandbox.secret],
      [body.refund.id, api.keys.live.secret],
    ]) {
      const answer = await api.call('GET', `/refunds/${id}`, { key: key as string });
      assert.deepEqual([answer.status, answer.body.message], [404, 'Resource Not Found']);
    }
  });
});
