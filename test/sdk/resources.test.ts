import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { saveMethod } from '../../src/core/customers/methods.ts';
import { openDispute } from '../../src/core/disputes/service.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { Pirogue } from '../../sdk/src/index.ts';
import { fund } from '../transfers/support.ts';
import { startApi, until } from '../setup/api.ts';

const api = await startApi();
after(() => api.stop());

/** Operations that were called, by `METHOD /path/{id}`. */
const called = new Set<string>();
const pirogue = new Pirogue(api.keys.sandbox.secret, { baseUrl: api.url, fetch: watched });
const ORDER = { amount: 25_000, currency: 'XAF', phone: '+237650000000', reference: 'order-1' } as const;
const MISSING = 'Give it a method in sdk/src/resources, and call that here.';

async function watched(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(input, init);
  const { pathname } = new URL(String(input));
  for (const { method, path } of Object.values(OPERATIONS)) {
    const fits = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
    if (method === init.method && fits) called.add(`${method} ${path}`);
  }
  return response;
}

async function paid(): Promise<string> {
  const { transaction } = await pirogue.payments.create(ORDER);
  const { action } = await pirogue.payments.charge(transaction.id, { channel: 'cm.mtn', data: { phone: '650000000' } });
  assert.equal(action?.kind, 'confirm');
  await until(
    () => pirogue.payments.retrieve(transaction.id),
    ({ status }) => status === 'succeeded',
  );
  return transaction.id;
}

test('payments: create, charge, retrieve, list, cancel', async () => {
  const created = await pirogue.payments.create(ORDER);
  assert.match(created.authorization_url, /\/pay\//);
  assert.equal((await pirogue.payments.cancel(created.transaction.id)).status, 'cancelled');
  const id = await paid();
  const succeeded = await pirogue.payments.list({ status: 'succeeded' }).toArray();
  assert.deepEqual(
    succeeded.map((payment) => payment.id),
    [id],
  );
});

test('payments for a connected account', async () => {
  const account = await pirogue.accounts.create({
    name: 'Stall 7',
    email: 'stall@shop.example',
    split: { type: 'percentage', value: 10 },
  });
  const { transaction } = await pirogue.payments.create(ORDER, { account: account.id });
  assert.equal((await pirogue.payments.retrieve(transaction.id)).account, account.id);
});

test('refunds: create, retrieve, list, list of one payment', async () => {
  const payment = await paid();
  const { id } = await pirogue.refunds.create({ payment, amount: 1_000, reason: 'requested_by_customer' });
  assert.equal((await pirogue.refunds.retrieve(id)).amount, 1_000);
  for (const list of [pirogue.refunds.list({ payment }), pirogue.payments.refunds(payment)]) {
    assert.deepEqual(
      (await list.toArray()).map((refund) => refund.id),
      [id],
    );
  }
});

test('beneficiaries: create, update, replace, retrieve, list, delete; transfers to them', async () => {
  await fund(api, api.team, 50_000);
  const { beneficiaries, transfers } = pirogue;
  const { id } = await beneficiaries.create({ name: 'Awa', channel: 'cm.mtn', phone: '650000000' });
  const transfer = await transfers.create({ amount: 1_000, currency: 'XAF', beneficiary: id, reference: 'wages' });
  assert.equal((await transfers.retrieve(transfer.id)).beneficiary, id);
  assert.deepEqual((await transfers.list({ search: 'wages' }).toArray()).length, 1);
  assert.equal((await beneficiaries.update(id, { reference: 'r' })).reference, 'r');
  assert.equal((await beneficiaries.replace(id, { name: 'Awa Ngo', phone: '650000000' })).reference, null);
  assert.equal((await beneficiaries.retrieve(id)).name, 'Awa Ngo');
  assert.equal((await beneficiaries.list().toArray()).length, 1);
  await beneficiaries.delete(id);
  assert.equal((await beneficiaries.list().toArray()).length, 0);
});

test('customers: create, update, replace, block, their payments and payment methods, erase', async () => {
  const { customers } = pirogue;
  const { id } = await customers.create({ name: 'Awa', email: 'awa@example.com' });
  assert.equal((await customers.update(id, { company_name: 'Chez Awa' })).company_name, 'Chez Awa');
  assert.equal((await customers.replace(id, { email: 'awa@example.com' })).company_name, null);
  assert.equal((await customers.block(id)).blocked, true);
  assert.equal((await customers.unblock(id)).blocked, false);
  const { transaction } = await pirogue.payments.create({ amount: 100, currency: 'XAF', customer_id: id });
  assert.deepEqual(
    (await customers.payments(id).toArray()).map((payment) => payment.id),
    [transaction.id],
  );
  const method = await savedMethod(id);
  assert.deepEqual(
    (await customers.paymentMethods(id).toArray()).map((one) => one.id),
    [method.id],
  );
  assert.equal((await customers.deletePaymentMethod(id, method.id)).id, method.id);
  assert.equal((await customers.list({ search: 'awa@example.com' }).toArray())[0]?.id, id);
  assert.equal((await customers.retrieve(id)).id, id);
  assert.match((await customers.erase(id)).name ?? '', /^Deleted User /);
});

/** A number in the vault, as a payment would leave it there. */
function savedMethod(customer_id: string): Promise<{ id: string }> {
  const { stores, secrets } = api.deps;
  const means = { type: 'mobile_money', channel: 'cm.mtn', provider_account: null, brand: null, last4: '0000' } as const;
  const customer = { team_id: api.team.id, id: customer_id };
  return stores.sandbox.db.transaction((tx) =>
    saveMethod(tx, secrets, { environment: 'sandbox', at: Date.now() }, customer, { ...means, token: '+237650000000' }),
  );
}

test('invoices: create, update, send, retrieve, list, cancel, delete', async () => {
  const { live } = await api.newMerchant({ verification_level: 1 });
  const { invoices } = new Pirogue(live.secret, { baseUrl: api.url, fetch: watched });
  const items = [{ name: 'Mangoes', quantity: 1.5, unit_price: 850 }];
  const bill = { items, currency: 'XAF' as const, customer: { email: 'awa@example.com' } };
  const { id, amount } = await invoices.create(bill);
  assert.equal(amount, 1275);
  assert.equal((await invoices.update(id, { notes: 'Thank you' })).notes, 'Thank you');
  assert.equal((await invoices.send(id, { idempotencyKey: 'send-1' })).number, 'INV-000001');
  assert.equal((await invoices.retrieve(id)).status, 'sent');
  assert.equal((await invoices.list({ status: 'sent' }).toArray())[0]?.id, id);
  assert.equal((await invoices.cancel(id)).status, 'cancelled');
  const draft = await invoices.create(bill);
  assert.equal((await invoices.delete(draft.id)).id, draft.id);
});

test('links: create, update, retrieve, list, list of their payments', async () => {
  const { links } = new Pirogue(api.keys.live.secret, { baseUrl: api.url, fetch: watched });
  const { id, url } = await links.create({ title: 'Evening class', amount: 15_000, currency: 'XAF' });
  assert.match(url, /\/l\//);
  assert.equal((await links.update(id, { active: false })).status, 'inactive');
  assert.equal((await links.retrieve(id)).id, id);
  assert.equal((await links.list({ status: 'inactive' }).toArray())[0]?.id, id);
  assert.deepEqual(await links.payments(id).toArray(), []);
});

test('accounts: create, update, replace, deactivate, reactivate, onboarding, list', async () => {
  const { accounts } = pirogue;
  const { id } = await accounts.create({ name: 'Stall 8', email: 'stall8@shop.example' });
  assert.equal((await accounts.update(id, { name: 'Stall 9' })).name, 'Stall 9');
  assert.equal((await accounts.replace(id, { name: 'Stall 10', email: 'stall@shop.example' })).name, 'Stall 10');
  assert.equal((await accounts.deactivate(id)).active, false);
  assert.equal((await accounts.reactivate(id)).active, true);
  assert.match((await accounts.onboarding(id)).url, /^http/);
  assert.equal((await accounts.retrieve(id)).id, id);
  assert.ok((await accounts.list().toArray()).some((account) => account.id === id));
});

test('balance: the amounts and their movements', async () => {
  await paid();
  const balance = await pirogue.balance.retrieve({ currency: 'XAF' });
  assert.equal(typeof balance['in.transit'], 'number');
  const movements = await pirogue.balance.history({ currency: 'XAF', per_page: 10 }).toArray();
  assert.ok(movements.length > 0);
});

test('disputes: list, retrieve, evidence, accept', async () => {
  const payment_id = await paid();
  const row = await openDispute(api.deps, api.deps.stores.sandbox, { team_id: api.team.id, payment_id, reason: 'fraudulent' });
  const { disputes } = pirogue;
  assert.equal((await disputes.list({ payment: payment_id }).toArray())[0]?.id, row.id);
  assert.equal((await disputes.retrieve(row.id)).status, 'needs_response');
  assert.equal((await disputes.submitEvidence(row.id, { evidence: { parcel: 'delivered' } })).status, 'under_review');
  const other = await openDispute(api.deps, api.deps.stores.sandbox, {
    team_id: api.team.id,
    payment_id: await paid(),
    reason: 'fraudulent',
  });
  assert.ok(['lost', 'closed'].includes((await disputes.accept(other.id)).status));
});

test('webhooks: create, update, replace, rotate, test, deliveries, list, delete', async () => {
  const { webhooks } = pirogue;
  const { id, secret } = await webhooks.create({ url: 'https://shop.example/hooks', events: ['payment.succeeded'] });
  assert.match(secret ?? '', /^whsec_/);
  assert.equal((await webhooks.update(id, { description: 'shop' })).description, 'shop');
  assert.equal((await webhooks.replace(id, { url: 'https://shop.example/hooks' })).description, null);
  assert.notEqual((await webhooks.rotateSecret(id)).secret, secret);
  const event = await webhooks.test(id);
  assert.equal(event.event, 'webhook.test');
  assert.ok(Array.isArray(await webhooks.deliveries(id).toArray()));
  assert.equal((await webhooks.retrieve(id)).id, id);
  assert.ok((await webhooks.list().toArray()).some((webhook) => webhook.id === id));
  await webhooks.delete(id);
});

test('events: list by type, retrieve, resend; the type narrows the type of the data', async () => {
  const payment = await paid();
  const events = await pirogue.events.list({ type: 'payment.succeeded', per_page: 100 }).toArray();
  const event = events.find((one) => one.event === 'payment.succeeded' && one.data.id === payment);
  assert.ok(event);
  const again = await pirogue.events.retrieve(event.id);
  assert.deepEqual(again, event);
  assert.equal((await pirogue.events.resend(event.id)).event.id, event.id);
});

test('channels, countries, currencies, banks, identity', async () => {
  assert.ok((await pirogue.channels.list({ country: 'CM' })).every(({ country }) => country === 'CM'));
  assert.equal((await pirogue.channels.retrieve('cm.mtn')).currency, 'XAF');
  assert.ok((await pirogue.countries.list()).some(({ code }) => code === 'CM'));
  assert.ok((await pirogue.currencies.list()).some(({ code }) => code === 'XAF'));
  assert.ok((await pirogue.banks.list({ country: 'CM' })).length > 0);
  assert.equal((await pirogue.identity.resolve({ channel: 'cm.mtn', phone: '650000000' })).resolved, true);
});

test('every operation of the document has a method, and was called by the tests above', () => {
  // An alias of /accounts.
  const wanted = Object.values(OPERATIONS).filter(({ path }) => !path.startsWith('/subaccounts'));
  const left = wanted.map(({ method, path }) => `${method} ${path}`).filter((name) => !called.has(name));
  assert.deepEqual(left, [], MISSING);
});
