import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unpack } from '../../src/kit/packing.ts';
import { sql } from '../../src/kit/sql.ts';
import { dumpDatabase, FakeClock, startApi, until } from '../setup/api.ts';
import { InvoiceFixture } from '../invoices/fixture.ts';
import { mailsIn } from '../mail/folder.ts';

const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});
const { live } = api.deps.stores;

/** What must be nowhere afterwards. */
const TRACES = [/fatou/i, /diallo/i, /f\.diallo/i, /old-address/i, /shop-bill/i, /670[\s.()-]*12[\s.()-]*34[\s.()-]*56/];
const PERSON = { name: 'Fatou Diallo', email: 'F.Diallo@shop-bill.example', phone: '+237670123456' };
const INVOICE = {
  customer: PERSON,
  items: [{ name: 'Dress for Diallo, Fatou', description: 'call 670 12 34 56', quantity: 1.5, unit_price: 2000 }],
  notes: 'Delivered to Fatou',
  reference: 'f.diallo@shop-bill.example',
  metadata: { who: 'Mme Diallo', cart: 'A-7' },
};

async function everything(): Promise<string> {
  const events = await live.db.all<{ body: Buffer }>(sql`select body from events`);
  return [await dumpDatabase(live.db), ...events.map(({ body }) => unpack(body)), ...mailsIn(api)].join('\n');
}

const tracesIn = (dump: string) => TRACES.filter((trace) => trace.test(dump)).map(String);

test('no data of an erased customer remains in invoices, their events, stored responses, payments and mails', async () => {
  const headers = { 'Idempotency-Key': 'bill-1' };
  const key = fixture.merchant.shop.key;
  const made = await api.call('POST', '/invoices', { key, headers, body: { ...INVOICE, currency: 'XAF' } });
  const { id, customer } = made.body.invoice;
  const send = (one: string) => fixture.call('POST', `/invoices/${one}/send`);
  const { url } = (await send(id)).body.invoice;
  // A mail that has not left when its invoice is paid is never sent.
  await fixture.mails(PERSON.email, 1);
  await fixture.pay(url);
  const draft = await fixture.draft(INVOICE);
  // Made out to an address the profile never had, and mailed to it.
  const { invoice } = (
    await fixture.call('POST', '/invoices', {
      ...INVOICE,
      currency: 'XAF',
      customer: { phone: PERSON.phone, email: 'old-address@shop-bill.example' },
    })
  ).body;
  assert.equal(invoice.customer, customer);
  await send(invoice.id);
  await fixture.mails(PERSON.email, 1);
  await fixture.mails('old-address@shop-bill.example', 1);
  const waiting = await fixture.createSent(INVOICE);
  const kept = await fixture.createSent();
  // Two invoices and a receipt.
  await fixture.mails(PERSON.email, 3);
  assert.equal(tracesIn(await everything()).length, TRACES.length, 'all of it is there before');
  assert.equal((await fixture.call('DELETE', `/customers/${customer}`)).status, 200);
  await until(
    async () => tracesIn(await everything()),
    (found) => found.length === 0,
  );
  const shown = await fixture.invoice(id);
  assert.match(shown.recipient.name, /^Deleted User /);
  assert.deepEqual([shown.recipient.email, shown.recipient.phone, shown.status, shown.amount_paid], [null, null, 'paid', 3000]);
  assert.deepEqual([shown.items[0].amount, shown.items[0].quantity, shown.metadata.cart], [3000, 1.5, 'A-7']);
  assert.equal((await send(draft.id)).status, 422);
  const { data } = (await fixture.call('GET', '/events?type=invoice.paid')).body.items[0];
  assert.deepEqual(data.recipient, shown.recipient);
  // What is owed stays owed; whoever has the address can pay it, and nobody is made a customer of it.
  await fixture.pay(waiting.url);
  const late = await fixture.invoice(waiting.id);
  assert.deepEqual([late.status, (await fixture.merchant.payment(late.payment)).customer], ['paid', null]);
  assert.deepEqual(tracesIn(await everything()), []);
  const other = await fixture.invoice(kept.id);
  assert.equal(other.recipient.email, 'awa@buyers.example');
  assert.equal((await fixture.mails('awa@buyers.example', 1)).length, 1, 'the mails of others stay');
});

test('no data of an erased customer remains in deleted drafts, or in drafts reassigned to another customer', async () => {
  const person = {
    name: 'Ousmane Sembene',
    email: 'o.sembene@shop-draft.example',
    phone: '+237670998877',
  };
  const traces = /ousmane|sembene|shop-draft|998877/i;
  const headers = { 'Idempotency-Key': 'draft-1' };
  const wanted = { currency: 'XAF', items: [{ name: 'Film for Ousmane', unit_price: 2000 }], customer: person };
  const deleted = (await fixture.call('POST', '/invoices', wanted, headers)).body.invoice;
  const moved = (await fixture.call('POST', '/invoices', wanted)).body.invoice;
  assert.equal((await fixture.call('DELETE', `/invoices/${deleted.id}`)).status, 200);
  const heir = { name: 'Moussa Heir', email: 'moussa@heir.example' };
  const items = [{ name: 'Film', unit_price: 2000 }];
  const { invoice } = (await fixture.call('PATCH', `/invoices/${moved.id}`, { customer: heir, items })).body;
  assert.notEqual(invoice.customer, moved.customer);
  assert.match(await everything(), traces);
  await fixture.call('DELETE', `/customers/${moved.customer}`);
  assert.doesNotMatch(await everything(), traces);
  await fixture.call('POST', `/invoices/${moved.id}/send`);
  const announced = (await fixture.call('GET', '/events?type=invoice.sent')).body.items;
  const sent = announced.find(({ data }: { data: { id: string } }) => data.id === moved.id);
  assert.deepEqual([sent.data.recipient.name, (await fixture.invoice(moved.id)).recipient.email], [heir.name, heir.email]);
  // The heir goes too, and with it what was announced of its time with the invoice.
  await fixture.call('DELETE', `/customers/${invoice.customer}`);
  await until(everything, (dump) => !/moussa|heir\.example/i.test(dump));
});

test('a receipt that went to a former address of the customer is erased too', async () => {
  const person = { name: 'Kofi Annor', email: 'first@kofi.example' };
  const customer = (await fixture.call('POST', '/customers', person)).body.customer.id;
  const order = await fixture.call('POST', '/payments', { amount: 1000, currency: 'XAF', customer_id: customer });
  const { id } = order.body.transaction;
  await fixture.merchant.charge(id);
  await fixture.merchant.waitForStatus(`/payments/${id}`, 'succeeded');
  await fixture.mails('first@kofi.example', 1);
  await fixture.call('PATCH', `/customers/${customer}`, { email: 'second@kofi.example' });
  await fixture.call('DELETE', `/customers/${customer}`);
  await until(everything, (dump) => !/kofi/i.test(dump));
});

test('what a customer was called before is removed from the texts of its payments', async () => {
  const former = { name: 'Yaya Toure', email: 'yaya@former.example', phone: '+237670112233', company_name: 'Toure et fils' };
  const customer = (await fixture.call('POST', '/customers', former)).body.customer.id;
  const { id } = (
    await fixture.call('POST', '/payments', {
      ...{ amount: 1000, currency: 'XAF', customer_id: customer },
      description: 'Lessons for Yaya Toure, yaya@former.example',
      metadata: { reached: '+237670112233', firm: 'Toure et fils' },
    })
  ).body.transaction;
  const now = { name: 'K. Mensah', email: 'mensah@later.example', phone: '+237670445566', company_name: 'Mensah SARL' };
  await fixture.call('PATCH', `/customers/${customer}`, now);
  assert.equal((await fixture.call('DELETE', `/customers/${customer}`)).status, 200);
  assert.doesNotMatch((await fixture.merchant.payment(id)).description, /yaya|toure/i);
  await until(everything, (dump) => !/yaya|toure|former\.example|670112233/i.test(dump));
});

test('an erasure changes neither keys nor amounts of items, whatever the customer is called', async () => {
  const named = async (name: string, email: string) => {
    const items = [{ name: `Cake for ${name}`, description: `To ${name}`, quantity: 2, unit_price: 5000 }];
    return fixture.createSent({ customer: { name, email }, items });
  };
  const sent = [await named('Katie Price', 'katie@keys.example'), await named('Amount 500000', 'amount@keys.example')];
  for (const { id, customer } of sent) {
    assert.equal((await fixture.call('DELETE', `/customers/${customer}`)).status, 200);
    const [item] = (await fixture.invoice(id)).items;
    assert.deepEqual([item.quantity, item.unit_price, item.amount], [2, 5000, 10_000]);
    assert.doesNotMatch(`${item.name} ${item.description}`, /katie|price|amount|500000/i);
    const { items } = (await fixture.call('GET', '/events?type=invoice.sent')).body;
    const { data } = items.find((event: { data: { id: string } }) => event.data.id === id);
    assert.deepEqual(data.items, [item]);
  }
});

test('a name that only an invoice has is removed from the text of a payment, and an e-mail address of a payment from the notes of an invoice', async () => {
  const phone = '+237670998877';
  const { key } = fixture.merchant.shop;
  const paid = await api.call('POST', '/payments', {
    key,
    body: { amount: 5_000, currency: 'XAF', phone, description: 'Order of Binta Camara' },
  });
  const { customer } = (await fixture.call('GET', `/payments/${paid.body.transaction.id}`)).body.transaction;
  const draft = await fixture.draft({
    customer: { phone, name: 'Binta Camara' },
    items: [{ name: 'Dress', quantity: 1, unit_price: 2000 }],
    notes: 'as agreed with b.camara@only-there.example',
  });
  assert.equal(draft.customer, customer);
  // As of a payment that was made with the address before the profile had any.
  await live.db.run(sql`update payments set email = 'b.camara@only-there.example' where id = ${paid.body.transaction.id}`);
  await live.db.run(sql`update customers set name = null, email = null where id = ${customer}`);
  assert.equal((await fixture.call('DELETE', `/customers/${customer}`)).status, 200);
  const dump = await everything();
  assert.deepEqual(
    [/binta/i, /camara/i, /only-there/].filter((trace) => trace.test(dump)),
    [],
  );
});
