import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { internationalNumbers } from '../../src/edge/links/phone.ts';
import { startApi } from '../setup/api.ts';
import { LinkBrowser, newLink, payBy } from './browser.ts';

/** The number that a payer types on a link's page is the number of one country, or none. */
const api = await startApi({ workers: false });
after(() => api.stop());
const key = (await api.newMerchant({ verification_level: 1 })).live.secret;

/** The customers of the payments of a link, oldest first. */
async function customersOf(link: string): Promise<{ id: string; phone: string }[]> {
  const { items } = (await api.call('GET', `/links/${link}/payments`, { key })).body;
  const customers = items.toReversed().map(async ({ id }: { id: string }) => {
    const { customer } = (await api.call('GET', `/payments/${id}`, { key })).body.transaction;
    return (await api.call('GET', `/customers/${customer}`, { key })).body.customer;
  });
  return Promise.all(customers);
}

const READ: [currency: string, typed: string, ...numbers: string[]][] = [
  // Benin (eight digits until 2024), Burkina Faso, Mali and Togo.
  ['XOF', '70123456', '+2290170123456', '+22670123456', '+22370123456', '+22870123456'],
  ['XOF', '+228 70 12 34 56', '+22870123456'],
  ['XOF', '0022670123456', '+22670123456'],
  ['XOF', '22370123456', '+22370123456'],
  ['XOF', '77 123 45 67', '+221771234567'],
  ['XOF', '07 07 12 34 56', '+2250707123456'],
  ['XOF', '01 97 12 34 56', '+2250197123456', '+2290197123456'],
  // Nine digits in Cameroon and Congo, of which only Cameroon's start with 6.
  ['XAF', '670100000', '+237670100000'],
  ['XAF', '(+237) 670-10-00-00', '+237670100000'],
  ['XAF', '050123456', '+242050123456'],
  // Gabon, as it was written until 2019, and Congo.
  ['XAF', '066123456', '+24166123456', '+242066123456'],
  ['XAF', '61234567', '+24161234567', '+23561234567', '+23661234567'],
  ['KES', '0712 345 678', '+254712345678'],
  ['EUR', '06 12 34 56 78', '+33612345678'],
  // Payers abroad.
  ['XAF', '+33 6 12 34 56 78', '+33612345678'],
  ['XOF', '0033612345678', '+33612345678'],
  ['EUR', '0151 12345678'],
  ['EUR', '+49 151 12345678', '+4915112345678'],
  ...['', '12', '+0', '000000', '+000000', '0000000000', 'call me', '+33 6 12 34 56 78 x', `+${'1'.repeat(16)}`].map(
    (typed): [string, string] => ['XAF', typed],
  ),
];

for (const [currency, typed, ...numbers] of READ) {
  test(`"${typed}" on a link in ${currency} is ${numbers.join(' or ') || 'no number'}`, () => {
    assert.deepEqual(internationalNumbers(typed, currency).sort(), numbers.sort());
  });
}

test('payers of two countries with the same national number are two customers', async () => {
  const { id, url } = await newLink(api, key, { currency: 'XOF' });
  for (const phone of ['+228 70123456', '+226 70123456', '00 228 70 12 34 56'])
    assert.equal((await payBy(url, { phone })).status, 303);
  const [togo, burkina, again] = await customersOf(id);
  assert.deepEqual([togo?.phone, burkina?.phone, again?.id], ['+22870123456', '+22670123456', togo?.id]);
});

test('422 at the field for a number that several countries have: the payer is asked for the country code, and nothing is created', async () => {
  const { id, url } = await newLink(api, key, { currency: 'XOF' });
  for (const [language, message] of [
    ['en', 'This number exists in several countries. Enter it with + and the country code.'],
    ['fr', 'Ce numéro existe dans plusieurs pays. Saisissez-le avec + et l’indicatif de votre pays.'],
    ['pt', 'Este número existe em vários países. Introduza-o com + e o indicativo do seu país.'],
  ] as const) {
    const browser = new LinkBrowser(url);
    await browser.open();
    const { status, text } = await browser.submit({ phone: '70123456' }, { 'accept-language': language });
    assert.equal(status, 422);
    assert.ok(text.includes(`id="phone-error">${message}`), language);
    assert.match(text, /name="phone" value="70123456"/);
  }
  assert.deepEqual(await customersOf(id), []);
});

test('a number of one country of the currency is passed on with its country code, to the customer and to the hosted page', async () => {
  const { id, url } = await newLink(api, key);
  const { headers } = await payBy(url, { phone: '6 70 10 00 44' });
  assert.equal((await customersOf(id))[0]?.phone, '+237670100044');
  const page = await (await fetch(headers.get('location') as string)).text();
  assert.match(page.replaceAll(/\s|&nbsp;/g, ''), /value="\+237670100044"/);
});

test('422 for zeros', async () => {
  const { id, url } = await newLink(api, key);
  for (const phone of ['000000', '+0', '+000000']) {
    const { status, text } = await payBy(url, { phone });
    assert.equal(status, 422, phone);
    assert.match(text, /id="phone-error">This is not a complete phone number/);
  }
  assert.deepEqual(await customersOf(id), []);
});
