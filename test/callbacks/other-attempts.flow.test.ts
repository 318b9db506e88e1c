import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { callbackUrl } from '../../src/providers/provider-accounts/callback-address.ts';
import { signatureOf } from '../../src/providers/adapters/wave/signature.ts';
import type { Entry } from '../../simulators/kit/book.ts';
import { startApi, until } from '../setup/api.ts';
import { type LiveShop, openLiveShop } from '../setup/live-shop.ts';

/** Callbacks that came to the address of another attempt: by mistake of a provider, or by somebody who knows the address. */
const api = await startApi({ env: { HOLD_MOBILE_MONEY: '0s' } });
const shops: LiveShop[] = [];
after(async () => {
  await Promise.all(shops.map((shop) => shop.stop()));
  await api.stop();
});
const { db } = api.deps.stores.live;

async function open(name: string, channel: string, currency: string, phone: string) {
  const shop = await openLiveShop(api, [name]);
  shops.push(shop);
  const simulator = shop.simulators[name] ?? assert.fail();
  const call = (method: string, path: string, body?: object) =>
    api.call(method, path, { key: shop.key, ...(body ? { body } : {}) });
  /** A payment that was charged, with its attempt. */
  const charged = async (amount: number) => {
    const { id } = (await call('POST', '/payments', { amount, currency, phone })).body.transaction;
    const { status, body } = await call('POST', `/payments/${id}`, { channel, data: { phone } });
    assert.equal(status, 202, JSON.stringify(body));
    const row = await db.maybe<{ id: string; provider_key: string }>(sql`
      select id, provider_key from attempts where team_id = ${shop.merchant.team.id} and payment_id = ${id}`);
    return { id: id as string, attempt: row ?? assert.fail() };
  };
  const statusOf = async (id: string) => (await call('GET', `/payments/${id}`)).body.transaction.status;
  const becomes = (id: string, status: string) =>
    until(
      () => statusOf(id),
      (now) => now === status,
    );
  const addressOf = (attempt_id: string) => callbackUrl(api.deps, shop.accounts[name]?.id ?? '', attempt_id);
  return { shop, simulator, charged, statusOf, becomes, addressOf };
}

test('M-Pesa: a callback never assigns the number of another prompt to a prompt whose response was lost', async () => {
  const { shop, simulator, charged, statusOf, becomes, addressOf } = await open(
    'mpesa-daraja',
    'ke.mpesa',
    'KES',
    '+254708374149',
  );
  const paid = await charged(1_500);
  await becomes(paid.id, 'succeeded');
  simulator.faults.announce('none');
  simulator.faults.script({ fault: 'reset_created', times: 2 });
  const small = await charged(10);
  const lost = await charged(1_500);
  await simulator.idle();
  const entryOf = (key: string): Entry => simulator.book.entries().find((entry) => entry.key === key) ?? assert.fail();
  const tell = async (about: Entry, amount: number) => {
    const stkCallback = {
      ...{ CheckoutRequestID: `ws_CO_2611${about.ref}`, ResultCode: 0 },
      CallbackMetadata: { Item: [{ Name: 'Amount', Value: amount }] },
    };
    const body = JSON.stringify({ Body: { stkCallback } });
    assert.equal((await fetch(addressOf(lost.attempt.id), { method: 'POST', body })).status, 200);
    const row = await db.maybe<{ provider_ref: string | null }>(sql`
      select provider_ref from attempts where team_id = ${shop.merchant.team.id} and id = ${lost.attempt.id}`);
    return row?.provider_ref ?? null;
  };
  assert.equal(await tell(entryOf(paid.attempt.provider_key), 1_500), null, 'that of a payment that is ours already');
  assert.equal(await tell(entryOf(small.attempt.provider_key), 10), null, 'that of a smaller prompt');
  assert.equal(await statusOf(lost.id), 'processing');
  await tell(entryOf(lost.attempt.provider_key), 1_500);
  await becomes(lost.id, 'succeeded');
  assert.equal(await statusOf(small.id), 'processing');
});

test('Wave: a signed update of one session is not applied to another attempt at whose address it arrives', async () => {
  const { simulator, charged, statusOf, addressOf } = await open('wave', 'sn.wave', 'XOF', '+221771234567');
  const [paid, other] = [await charged(1_500), await charged(1_500)];
  const session = {
    ...{ id: 'cos-1', amount: '1500', currency: 'XOF', client_reference: paid.attempt.provider_key },
    ...{ checkout_status: 'complete', payment_status: 'succeeded', transaction_id: 'T1' },
  };
  const body = JSON.stringify({ id: 'EV_1', type: 'checkout.session.completed', data: session });
  const tell = (attempt_id: string) => {
    const secret = simulator.credentials.webhook_signing_secret ?? assert.fail();
    const headers = { 'wave-signature': signatureOf(secret, body, api.deps.clock.now()) };
    return fetch(addressOf(attempt_id), { method: 'POST', body, headers });
  };
  assert.equal((await tell(other.attempt.id)).status, 200);
  assert.equal(await statusOf(other.id), 'processing');
  assert.equal((await tell(paid.attempt.id)).status, 200);
  assert.equal(await statusOf(paid.id), 'succeeded');
});
