import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Payer } from '../checkout/payer.ts';
import { checkBooks } from '../faults/books.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { InvoiceFixture } from './fixture.ts';

/** Another try after a decline on the page of an invoice's payment: the invoice has one open payment at any time. */
const clock = new FakeClock();
const api = await startApi({ clock, env: { HOLD_MOBILE_MONEY: '0s' } });
const fixture = await InvoiceFixture.open(api, clock);
const { merchant } = fixture;
after(async () => {
  await fixture.stop();
  await api.stop();
});

const DECLINED = { channel: 'cm.mtn', phone: '670000002' };
const PAID = { channel: 'cm.mtn', phone: '670100000' };

/** A sent invoice whose payment was declined, and the payer's browser on the page of that payment. */
async function declined() {
  const invoice = await fixture.createSent();
  return { invoice, ...(await declinedFor(invoice)) };
}

/** Pays an invoice with a phone that declines. @param amount as entered; without it: the whole amount due */
async function declinedFor(invoice: { id: string; url: string }, amount?: string) {
  const { headers } = await fixture.submit(invoice.url, amount);
  const payer = new Payer(headers.get('location') as string);
  await payer.get();
  assert.equal((await payer.submit(DECLINED)).status, 303);
  const { payment } = await openPaymentOf(invoice.id);
  await merchant.waitForStatus(`/payments/${payment}`, 'failed');
  await payer.offered(clock);
  clock.advance(3_600_000);
  return { payer, id: payment };
}

async function openPaymentOf(id: string): Promise<{ payment: string }> {
  const row = await api.deps.stores.live.db.maybe<{ payment: string }>(sql`
    select payment_id as payment from invoices where id = ${id}`);
  return row ?? assert.fail('no invoice');
}

const statusesOf = (id: string) =>
  api.deps.stores.live.db
    .all<{ status: string }>(sql`select status from payments where key_id = ${id} order by retry_number nulls first, id`)
    .then((rows) => rows.map(({ status }) => status));

test('the payer tries again and pays the invoice, once', async () => {
  const { invoice, payer, id } = await declined();
  assert.equal((await payer.submit(PAID)).status, 303);
  const { retried_by } = await merchant.payment(id);
  assert.equal((await openPaymentOf(invoice.id)).payment, retried_by);
  await merchant.waitForStatus(`/payments/${retried_by}`, 'succeeded');
  const paid = await fixture.becomes(invoice.id, 'paid');
  assert.deepEqual([paid.amount_paid, paid.amount_due], [10_000, 0]);
  const second = await merchant.payment(retried_by);
  assert.deepEqual([second.reference, second.retry_of, second.callback], [invoice.number, id, invoice.url]);
  assert.deepEqual(await checkBooks(api.deps.stores.live.db), []);
});

test('a submit of the invoice’s page and tries on the payment’s page, at once: one payment follows', async () => {
  for (let run = 0; run < 4; run++) {
    const { invoice, payer, id } = await declined();
    const [shown, ...tried] = await Promise.all([
      fixture.submit(invoice.url),
      ...Array.from({ length: 4 }, () => payer.json(PAID)),
    ]);
    assert.equal(shown?.status, 303);
    const open = (await openPaymentOf(invoice.id)).payment;
    assert.deepEqual((await statusesOf(invoice.id)).slice(0, 1), ['failed']);
    assert.equal((await statusesOf(invoice.id)).length, 2, 'the failed one, and one more');
    const { retried_by } = await merchant.payment(id);
    assert.ok(retried_by === null || retried_by === open);
    const expected = retried_by === null ? [400] : [200, 202];
    assert.ok(
      tried.every(({ status }) => expected.includes(status)),
      tried.map(({ status }) => status).join(' '),
    );
    if (retried_by === null) assert.equal((await merchant.charge(open, { phone: '670100000' })).status, 202);
    await merchant.waitForStatus(`/payments/${open}`, 'succeeded');
    const paid = await fixture.becomes(invoice.id, 'paid');
    assert.equal(paid.amount_paid, 10_000);
  }
});

test('no other try for an invoice that is cancelled, or that another payment pays', async () => {
  const cancelled = await declined();
  assert.equal((await fixture.call('POST', `/invoices/${cancelled.invoice.id}/cancel`)).status, 200);
  const replaced = await declined();
  const { id } = await fixture.submitForPayment(replaced.invoice.url);
  assert.equal((await openPaymentOf(replaced.invoice.id)).payment, id);
  for (const { payer } of [cancelled, replaced]) {
    assert.doesNotMatch((await payer.get()).body, /<form/);
    assert.equal((await payer.json(PAID)).status, 400);
  }
});

test('after a refund, no other try with an amount that leaves less than any channel collects', async () => {
  const invoice = await fixture.createSent({ items: [{ name: 'Fan', unit_price: 1_000 }], allow_partial: true });
  const first = await fixture.pay(invoice.url, '600');
  const { payer } = await declinedFor(invoice);
  assert.match((await payer.get()).body, /<form/);
  const refund = { payment: first.id, amount: 30, reason: 'merchant_error' };
  const { body } = await fixture.call('POST', '/refunds', refund);
  await merchant.waitForStatus(`/refunds/${body.refund.id}`, 'succeeded');
  assert.equal((await fixture.invoice(invoice.id)).amount_due, 430);
  assert.doesNotMatch((await payer.get()).body, /<form/);
  assert.equal((await payer.json(PAID)).status, 400, 'a try with 400 would leave 30');
  const last = await fixture.pay(invoice.url);
  assert.deepEqual([last.amount, (await fixture.invoice(invoice.id)).status], [430, 'paid']);
});

test('while money that arrived for a failed payment is checked, the invoice asks for no other payment', async () => {
  const { invoice, id } = await declined();
  const write = (mismatch: object | null) =>
    api.deps.stores.live.db.run(sql`
      update attempts set mismatch = ${mismatch && JSON.stringify(mismatch)}::json where payment_id = ${id}`);
  await write({ amount_minor: '50000', currency: 'XAF', provider_ref: 'paid-half', at: new Date().toISOString() });
  for (const answer of [await fixture.page(invoice.url), await fixture.submit(invoice.url)]) {
    assert.equal(answer.status, 200);
    assert.match(
      answer.text,
      /A payment is being checked.*Money may have arrived for this payment. Contact .* before you pay again/s,
    );
    assert.doesNotMatch(answer.text, /<form/);
  }
  assert.deepEqual(await statusesOf(invoice.id), ['failed']);
  await write(null);
  assert.match((await fixture.page(invoice.url)).text, /<form/);
  assert.equal((await fixture.submit(invoice.url)).status, 303);
  assert.equal((await statusesOf(invoice.id)).length, 2);
});
