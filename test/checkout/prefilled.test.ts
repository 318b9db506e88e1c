import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startApi } from '../setup/api.ts';
import { newPayment, Payer } from './payer.ts';

/** The number with which the form is filled in. */
const api = await startApi({ workers: false });
after(() => api.stop());
const key = (await api.newMerchant({ verification_level: 1 })).live.secret;

const NUMBER = '+24174112233';
const packed = (page: string) => page.replaceAll(/\s|&nbsp;/g, '');
/** Whether the operators of Gabon come before those of Cameroon. */
const isGabonFirst = (page: string) => {
  const [gabon, cameroon] = [page.indexOf('data-n="241,'), page.indexOf('data-n="237,')];
  return gabon > 0 && cameroon > gabon;
};

test('the merchant’s number of a payment is filled in, and the operators of its country come first', async () => {
  const { body } = await new Payer((await newPayment(api, { phone: NUMBER }, key)).url).get();
  assert.match(packed(body), /value="\+24174112233"/);
  assert.ok(isGabonFirst(body));
});

test('whoever has the address of an invoice learns no digit of the customer’s number: only its country is used', async () => {
  const items = [{ name: 'Savon', unit_price: 5_000 }];
  const draft = { items, currency: 'XAF', customer: { name: 'Awa Ngo', phone: NUMBER } };
  const made = await api.call('POST', '/invoices', { key, body: draft });
  const { body: sent } = await api.call('POST', `/invoices/${made.body.invoice.id}/send`, { key });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const led = await fetch(sent.invoice.url, { method: 'POST', redirect: 'manual', headers: form, body: '' });
  const payer = new Payer(led.headers.get('location') ?? assert.fail(`${led.status}`));
  const { status, body } = await payer.get();
  assert.equal(status, 200);
  assert.match(body, /name="phone" value=""/);
  assert.doesNotMatch(packed(body), /74112233/);
  assert.ok(isGabonFirst(body));
  const wrong = await payer.submit({ channel: 'ga.airtel', phone: '12' });
  assert.match(wrong.body, /name="phone" value="12"/, 'what the payer typed is filled in');
});
