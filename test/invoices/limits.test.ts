import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { InvoiceFixture } from './fixture.ts';

/** Invoices that no channel could collect. In XAF a payment is of 100 to 50,000,000 francs. */
const clock = new FakeClock();
const api = await startApi({ clock });
const fixture = await InvoiceFixture.open(api, clock);
after(async () => {
  await fixture.stop();
  await api.stop();
});

const of = (unit_price: number, more: object = {}) => ({ items: [{ name: 'Lorry', unit_price }], ...more });
const [LEAST, LARGEST] = [100, 50_000_000];
const TOO_SMALL = `must be at least ${LEAST} XAF`;
const TOO_LARGE = `must be at most ${LARGEST} XAF, the largest amount that any channel takes`;
const REFUSED: [what: string, terms: object, errors: object][] = [
  ['a total below the least payment', of(LEAST - 1), { items: [TOO_SMALL] }],
  ['also of an invoice that may be paid in parts', of(LEAST - 1, { allow_partial: true }), { items: [TOO_SMALL] }],
  ['a total above the largest payment', of(LARGEST + 1), { items: [TOO_LARGE] }],
  [
    'a part above the largest payment',
    of(2 * LARGEST, { allow_partial: true, min_amount: LARGEST + 1 }),
    { min_amount: [TOO_LARGE] },
  ],
];

for (const [what, terms, errors] of REFUSED) {
  test(`422 ${what}, in a new invoice and in a change of a draft`, async () => {
    const body = { currency: 'XAF', customer: { email: 'awa@buyers.example' }, ...terms };
    const created = await fixture.call('POST', '/invoices', body);
    assert.deepEqual([created.status, created.body.errors], [422, errors]);
    const { id } = await fixture.draft();
    const changed = await fixture.call('PATCH', `/invoices/${id}`, terms);
    assert.deepEqual([changed.status, changed.body.errors], [422, errors]);
    assert.equal((await fixture.invoice(id)).amount, 10_000);
  });
}

test('201 the least and the largest payment, and more than that in parts', async () => {
  for (const terms of [of(LEAST), of(LARGEST), of(LARGEST + 1, { allow_partial: true })]) await fixture.draft(terms);
});

test('422 a change that leaves a total without a channel: another currency, or no parts any more', async () => {
  const { id } = await fixture.draft(of(LARGEST + 1, { allow_partial: true }));
  const whole = await fixture.call('PATCH', `/invoices/${id}`, { allow_partial: false });
  assert.deepEqual([whole.status, whole.body.errors], [422, { items: [TOO_LARGE] }]);
  const small = await fixture.draft(of(LEAST));
  const other = await fixture.call('PATCH', `/invoices/${small.id}`, { currency: 'GNF' });
  assert.deepEqual([other.status, other.body.errors], [422, { items: ['must be at least 1000 GNF'] }]);
});

test('422 sending a draft that an earlier release accepted: it gets no number', async () => {
  const { id } = await fixture.draft();
  await api.deps.stores.live.db.run(sql`update invoices set amount_minor = 5000 where id = ${id}`);
  const sent = await fixture.call('POST', `/invoices/${id}/send`);
  assert.deepEqual([sent.status, sent.body.errors], [422, { items: [TOO_SMALL] }]);
  assert.equal((await fixture.invoice(id)).number, null);
});

test('an amount due above the largest payment is asked for in parts that can be paid', async () => {
  const { url } = await fixture.createSent(of(2 * LARGEST, { allow_partial: true }));
  const { text } = await fixture.page(url);
  assert.match(text, /From FCFA\s100 to FCFA\s50,000,000/);
  assert.equal(text.match(/<form/g)?.length, 1);
  for (const amount of [undefined, String(2 * LARGEST), String(LARGEST + 1)]) {
    assert.equal((await fixture.submit(url, amount)).status, 422, `${amount}`);
  }
  assert.equal((await fixture.submitForPayment(url, String(LARGEST))).amount, LARGEST);
});
