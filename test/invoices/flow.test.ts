import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi, until } from '../setup/api.ts';
import { CUSTOMER, InvoiceFixture } from './fixture.ts';

/** The whole way of an invoice, with a verified live team and a provider's simulator. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});
const { db } = api.deps.stores.live;

test('drafted, sent, viewed, paid, confirmed: paid is stored in the transaction that posts the money', async () => {
  const draft = await fixture.draft({ due_date: '2099-01-31', notes: 'Thank you', reference: 'order-7', locale: 'en' });
  assert.deepEqual(
    [draft.status, draft.number, draft.url, draft.amount, draft.amount_due],
    ['draft', null, null, 10_000, 10_000],
  );
  assert.deepEqual(
    draft.items.map(({ name, quantity, unit_price, amount }: Record<string, unknown>) => [name, quantity, unit_price, amount]),
    [
      ['Mangoes', 2.5, 2000, 5000],
      ['Delivery', 1, 5000, 5000],
    ],
  );
  const sent = (await fixture.call('POST', `/invoices/${draft.id}/send`)).body.invoice;
  assert.deepEqual([sent.status, sent.number], ['sent', 'INV-000001']);
  const [mail] = await fixture.mails(CUSTOMER.email, 1);
  assert.match(mail?.headers.from ?? '', /^Chez Awa <[^>]+@[^>]+>$/);
  assert.equal(mail?.headers.subject, 'Invoice INV-000001 from Chez Awa');
  assert.match(mail?.text ?? '', /by the end of 31 January 2099: FCFA\s10,000/);
  const url = /https?:\S+\/invoice\/\S+/.exec(mail?.text ?? '')?.[0] as string;
  assert.equal(url, sent.url);
  const page = await fixture.page(url);
  assert.equal(page.status, 200);
  for (const text of ['INV-000001', 'Chez Awa', 'Awa Ngo', 'Mangoes', 'Thank you', '31 January 2099', 'order-7', 'Pay FCFA']) {
    assert.ok(page.text.includes(text), text);
  }
  const viewed = await fixture.invoice(draft.id);
  assert.deepEqual([viewed.status, viewed.viewed_at !== null], ['viewed', true]);
  const payment = await fixture.pay(url);
  assert.deepEqual(
    [payment.amount, payment.reference, payment.metadata, payment.callback],
    [10_000, 'INV-000001', { invoice: draft.id }, url],
  );
  assert.equal(payment.customer, draft.customer);
  // Not "soon": whoever sees the payment succeeded sees the invoice paid.
  const paid = await fixture.invoice(draft.id);
  assert.deepEqual([paid.status, paid.amount_paid, paid.amount_due, paid.payment], ['paid', 10_000, 0, payment.id]);
  assert.deepEqual(await fixture.merchant.events(draft.id), ['invoice.created', 'invoice.sent', 'invoice.paid']);
  const { body } = await fixture.call('GET', '/events?type=invoice.paid');
  assert.deepEqual(body.items[0].data, paid);
  assert.ok((await fixture.merchant.journalKinds(payment.id)).includes('payment.succeeded'));
  const [proof] = await db.all<{ same: boolean }>(sql`
    select (select xmin from invoices where id = ${draft.id}) = (select xmin from payments where id = ${payment.id}) as same`);
  assert.equal(proof?.same, true, 'one transaction wrote both');
  const after_it = await fixture.page(url, 'fr');
  assert.ok(after_it.text.includes('Il ne reste rien à payer'));
  assert.equal((await fixture.submit(url)).status, 200, 'nothing more is asked for');
});

test('the hosted page links back to the invoice', async () => {
  const { url } = await fixture.createSent();
  const { id } = await fixture.pay(url);
  const { headers } = await fixture.submit((await fixture.createSent()).url);
  const [token] = /[^/]+$/.exec(headers.get('location') ?? '') ?? [];
  assert.ok(token);
  const { callback } = await fixture.merchant.payment(id);
  assert.equal(callback, url);
});

test('partial payments: partial after each, paid after the last, whatever the minimum is', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true, min_amount: 4000 });
  const page = await fixture.page(url);
  assert.match(page.text, /From FCFA\s4,000 to FCFA\s9,900/);
  await fixture.pay(url, '6 000');
  const part = await fixture.invoice(id);
  assert.deepEqual([part.status, part.amount_paid, part.amount_due], ['partial', 6000, 4000]);
  assert.ok((await fixture.page(url)).text.includes('Left to pay'));
  for (const amount of ['3999', '4001', '0', '-1', 'abc', '4000.5', '1e3']) {
    const refused = await fixture.submit(url, amount);
    assert.equal(refused.status, 422, amount);
    assert.ok(refused.text.includes('The amount left has to be paid in one payment'), amount);
  }
  await fixture.pay(url, '4000');
  const { body } = await fixture.call('GET', `/payments?search=${(await fixture.invoice(id)).number}`);
  assert.deepEqual(
    body.items.map(({ amount }: { amount: number }) => amount),
    [4000, 6000],
  );
  assert.deepEqual(
    [(await fixture.invoice(id)).status, await fixture.merchant.events(id)],
    ['paid', ['invoice.created', 'invoice.sent', 'invoice.paid']],
  );
});

test('the remainder can be paid though it is below the minimum of a partial payment', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true, min_amount: 7000 });
  await fixture.pay(url, '7000');
  await fixture.pay(url, '3000');
  assert.equal((await fixture.invoice(id)).status, 'paid');
});

test('a partial payment is rejected if no channel accepts its amount or the remainder', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  assert.match((await fixture.page(url)).text, /From FCFA\s100 to FCFA\s9,900/);
  for (const amount of ['99', '9901', '9999']) assert.equal((await fixture.submit(url, amount)).status, 422, amount);
  await fixture.pay(url, '9900');
  const page = (await fixture.page(url)).text;
  assert.ok(page.includes('Pay FCFA') && !page.includes('name="amount"'), 'the rest can only be paid at once');
  await fixture.pay(url);
  assert.equal((await fixture.invoice(id)).status, 'paid');
});

test('an invoice without allow_partial accepts no partial payment', async () => {
  const { url } = await fixture.createSent();
  assert.equal((await fixture.submit(url, '5000')).status, 422);
  assert.ok(!(await fixture.page(url)).text.includes('name="amount"'));
});

test('a failed payment leaves the invoice unchanged, and the next payment pays it', async () => {
  const { id, url } = await fixture.createSent();
  const first = await fixture.submitForPayment(url);
  await fixture.merchant.charge(first.id, { phone: '670000001' });
  await fixture.merchant.waitForStatus(`/payments/${first.id}`, 'failed');
  const still = await fixture.invoice(id);
  assert.deepEqual([still.status, still.amount_paid], ['sent', 0]);
  // The provider may be asked about the failed charge once more.
  await until(
    () => fixture.page(url),
    ({ text }) => text.includes('<form'),
  );
  const second = await fixture.pay(url);
  assert.notEqual(second.id, first.id);
  assert.equal((await fixture.invoice(id)).status, 'paid');
});

test('a refund is due again on a partial invoice, and not on a paid one', async () => {
  const { id, url } = await fixture.createSent({ allow_partial: true });
  const part = await fixture.pay(url, '6000');
  const refund = { payment: part.id, reason: 'merchant_error' };
  assert.equal((await fixture.call('POST', '/refunds', { ...refund, amount: 1000 })).status, 201);
  const due = () =>
    fixture
      .invoice(id)
      .then(({ status, amount_paid, amount_refunded, amount_due }) => [status, amount_paid, amount_refunded, amount_due]);
  const eventually = (wanted: unknown[]) =>
    until(
      () => {
        clock.advance(1_000);
        return due();
      },
      (found) => JSON.stringify(found) === JSON.stringify(wanted),
    );
  await eventually(['partial', 6000, 1000, 5000]);
  assert.equal((await fixture.call('POST', '/refunds', refund)).status, 201);
  await eventually(['viewed', 6000, 6000, 10_000]);
  const whole = await fixture.pay(url);
  assert.equal(whole.amount, 10_000);
  assert.deepEqual(await due(), ['paid', 16_000, 6000, 0]);
  await fixture.call('POST', '/refunds', { payment: whole.id, reason: 'merchant_error' });
  await eventually(['paid', 16_000, 16_000, 0]);
});

test('an invoice is overdue on the day after its due date, with one event; a late payment still pays it', async () => {
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const { id, url } = await fixture.createSent({ due_date: today, allow_partial: true });
  const open = await fixture.createSent();
  clock.advance(Date.parse(today) + 86_400_000 - clock.now() - 1_000);
  assert.equal((await fixture.invoice(id)).status, 'sent');
  clock.advance(1_000);
  await fixture.becomes(id, 'overdue');
  assert.ok((await fixture.page(url)).text.includes('The due date has passed'));
  await fixture.pay(url, '4000');
  const part = await fixture.invoice(id);
  assert.deepEqual([part.status, part.amount_paid], ['overdue', 4000]);
  await fixture.pay(url);
  assert.equal((await fixture.invoice(id)).status, 'paid');
  assert.deepEqual(await fixture.merchant.events(id), ['invoice.created', 'invoice.sent', 'invoice.overdue', 'invoice.paid']);
  assert.equal((await fixture.invoice(open.id)).status, 'sent', 'without a due date it is never late');
});

test('an invoice that cannot be shown does not keep others from becoming overdue', async () => {
  const due_date = new Date(clock.now()).toISOString().slice(0, 10);
  const damaged = await fixture.createSent({ due_date });
  const { id } = await fixture.createSent({ due_date });
  await db.run(sql`update invoices set items = '[{"name": "Mangoes", "quantity": 1}]' where id = ${damaged.id}`);
  clock.advance(Date.parse(due_date) + 86_400_000 - clock.now());
  await fixture.becomes(id, 'overdue');
  const items = JSON.stringify([
    { name: 'Mangoes', description: null, quantity: 1, unit_price_minor: '100', amount_minor: '100' },
  ]);
  await db.run(sql`update invoices set items = ${items}::json where id = ${damaged.id}`);
  clock.advance(600_000);
  await fixture.becomes(damaged.id, 'overdue');
});

test('an invoice is paid or cancelled at one moment, whatever changes later, and its events are numbered without a gap', async () => {
  const { id, url } = await fixture.createSent();
  const label = (one: string) => fixture.call('PATCH', `/invoices/${one}`, { metadata: { a: 1 } });
  await label(id);
  const payment = await fixture.pay(url);
  const { paid_at } = await fixture.invoice(id);
  assert.ok(paid_at !== null);
  await fixture.call('POST', '/refunds', { payment: payment.id, reason: 'merchant_error' });
  const refunded = await until(
    () => {
      clock.advance(1_000);
      return fixture.invoice(id);
    },
    ({ amount_refunded }) => amount_refunded === 10_000,
  );
  assert.equal(refunded.paid_at, paid_at);
  const events = await db.all<{ sequence: number }>(sql`select sequence from events where resource_id = ${id} order by sequence`);
  assert.deepEqual(
    events.map(({ sequence }) => Number(sequence)),
    [1, 2, 3],
  );
  const other = await fixture.createSent();
  const { cancelled_at } = (await fixture.call('POST', `/invoices/${other.id}/cancel`)).body.invoice;
  assert.ok(cancelled_at !== null);
  clock.advance(1_000);
  assert.equal((await label(other.id)).body.invoice.cancelled_at, cancelled_at);
});

test('an invoice that was viewed, or paid in part, becomes overdue as well', async () => {
  const due_date = new Date(clock.now()).toISOString().slice(0, 10);
  const viewed = await fixture.createSent({ due_date });
  const partial = await fixture.createSent({ due_date, allow_partial: true });
  await fixture.page(viewed.url);
  await fixture.pay(partial.url, '4000');
  for (const [one, status] of [
    [viewed, 'viewed'],
    [partial, 'partial'],
  ] as const)
    assert.equal((await fixture.invoice(one.id)).status, status);
  clock.advance(Date.parse(due_date) + 86_400_000 - clock.now());
  for (const { id } of [viewed, partial]) await fixture.becomes(id, 'overdue');
});
