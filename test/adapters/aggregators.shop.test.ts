import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { payOn } from '../../simulators/kit/pages.ts';
import { startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** Flutterwave, CinetPay and M-Pesa from a merchant's call to the end, in front of their simulators. */
const api = await startApi({ env: { HOLD_MOBILE_MONEY: '0s', HOLD_CARD: '0s' } });
const shops: LiveShop[] = [];
after(async () => {
  await Promise.all(shops.map((shop) => shop.stop()));
  await api.stop();
});

async function open(name: string) {
  const shop = await openLiveShop(api, [name]);
  shops.push(shop);
  const simulator = shop.simulators[name] ?? assert.fail();
  const call = (method: string, path: string, body?: object) =>
    api.call(method, path, { key: shop.key, ...(body ? { body } : {}) });
  const order = async (currency: string, phone: string, amount = 1_500): Promise<string> => {
    const { status, body } = await call('POST', '/payments', { amount, currency, phone });
    assert.equal(status, 201, JSON.stringify(body));
    return body.transaction.id;
  };
  const becomes = (path: string, status: string) =>
    until(
      async () => {
        const { body } = await call('GET', path);
        return body.transaction ?? body.refund ?? body.transfer;
      },
      (resource) => resource.status === status,
    );
  return { shop, simulator, call, order, becomes };
}

test('a card is paid on the Flutterwave page, reported by its webhook and partially refunded', async () => {
  const { shop, simulator, call, order, becomes } = await open('flutterwave');
  const id = await order('XAF', '+237670100000');
  const { status, body } = await call('POST', `/payments/${id}`, { channel: 'cm.card' });
  assert.equal(status, 202, JSON.stringify(body));
  assert.equal(body.action.kind ?? body.action.type, 'redirect');
  assert.ok(String(body.action.url).startsWith(`${simulator.url}/v3/hosted/pay/`));
  await payOn(body.action.url, '+237670100000');
  await becomes(`/payments/${id}`, 'succeeded');
  // A poll may have been first.
  await simulator.idle();
  assert.ok(simulator.callbacks.sent.some(({ status }) => status === 200));
  const refund = await call('POST', '/refunds', { payment: id, amount: 500, reason: 'requested_by_customer' });
  assert.equal(refund.status, 201, JSON.stringify(refund.body));
  await becomes(`/refunds/${refund.body.refund.id}`, 'succeeded');
  assert.deepEqual(
    simulator.book.moved().map(({ kind, amount_minor }) => [kind, amount_minor]),
    [
      ['collect', 1_500_00n],
      ['refund', 500_00n],
    ],
  );
  const forged = await fetch(`${api.url}/_callbacks/${shop.accounts.flutterwave?.id}`, {
    method: 'POST',
    headers: { 'verif-hash': 'not-the-hash', 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'charge.completed', data: { status: 'successful' } }),
  });
  assert.equal(forged.status, 401);
});

test('CinetPay collects on its page, probes the callback address first, supports no refunds, and pays out', async () => {
  const { simulator, call, order, becomes } = await open('cinetpay');
  const id = await order('XAF', '+237670100000');
  const { status, body } = await call('POST', `/payments/${id}`, { channel: 'cm.mtn', data: { phone: '+237670100000' } });
  assert.equal(status, 202, JSON.stringify(body));
  await payOn(body.action.url, '+237670100000');
  const notify_url = simulator.book.entries()[0]?.callback_url ?? assert.fail('nothing was taken');
  assert.equal((await fetch(notify_url)).status, 200);
  assert.equal((await fetch(notify_url, { method: 'POST', body: 'cpm_trans_id=1', headers: { 'x-token': 'x' } })).status, 401);
  await becomes(`/payments/${id}`, 'succeeded');
  const refund = await call('POST', '/refunds', { payment: id, amount: 500, reason: 'requested_by_customer' });
  assert.deepEqual([refund.status, Object.keys(refund.body.errors)], [422, ['payment']]);
  const transfer = { amount: 500, currency: 'XAF', channel: 'cm.mtn', recipient: '+237670100000' };
  const paid = await call('POST', '/transfers', transfer);
  assert.equal(paid.status, 201, JSON.stringify(paid.body));
  await becomes(`/transfers/${paid.body.transfer.id}`, 'succeeded');
  assert.deepEqual(
    simulator.book.moved().map(({ kind, amount_minor }) => [kind, amount_minor]),
    [
      ['collect', 1_500_00n],
      ['payout', 500_00n],
    ],
  );
});

test('M-Pesa: a prompt whose response was lost is recovered by its callback to an unguessable address', async () => {
  const { simulator, call, order, becomes } = await open('mpesa-daraja');
  simulator.faults.script({ fault: 'reset_created' });
  const id = await order('KES', '+254708374149');
  const { status, body } = await call('POST', `/payments/${id}`, { channel: 'ke.mpesa', data: { phone: '+254708374149' } });
  assert.equal(status, 202, JSON.stringify(body));
  await becomes(`/payments/${id}`, 'succeeded');
  assert.equal(simulator.book.entries().length, 1);
});

test('M-Pesa: without a response and a callback the payment stays open, whatever forged callbacks claim', async () => {
  const { shop, simulator, call, order } = await open('mpesa-daraja');
  simulator.faults.announce('none');
  simulator.faults.script({ fault: 'reset_created' });
  const id = await order('KES', '+254708374149');
  await call('POST', `/payments/${id}`, { channel: 'ke.mpesa', data: { phone: '+254708374149' } });
  await simulator.idle();
  const claim = await fetch(`${api.url}/_callbacks/${shop.accounts['mpesa-daraja']?.id}`, {
    method: 'POST',
    body: JSON.stringify({ Body: { stkCallback: { CheckoutRequestID: 'ws_CO_26111000000001', ResultCode: 0 } } }),
  });
  assert.deepEqual([claim.status, await claim.text()], [200, '{"ResultCode":0,"ResultDesc":"Accepted"}']);
  assert.equal((await call('GET', `/payments/${id}`)).body.transaction.status, 'processing');
});
