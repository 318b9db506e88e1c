import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inspectBody } from '../../src/tenants/api/body.ts';
import { holdsCard } from '../../src/kit/cards.ts';

const VISA = '4242424242424242';
const FULL_WIDTH = [...VISA].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
const ARABIC = [...VISA].map((digit) => String.fromCodePoint(0x0660 + Number(digit))).join('');
const grouped = (separator: string) => VISA.replace(/(\d{4})(?=\d)/g, `$1${separator}`);

const CARDS: [disguise: string, text: string][] = [
  ['plain', VISA],
  ['Visa of 13 digits', '4222222222222'],
  ['Mastercard', '5555555555554444'],
  ['Mastercard of the 2 series', '2223003122003222'],
  ['American Express', '378282246310005'],
  ['American Express in its groups', '3782 822463 10005'],
  ['Diners of 14 digits', '30569309025904'],
  ['Discover', '6011111111111117'],
  ['UnionPay of 19 digits', '6205500000000000004'],
  ['RuPay', '8171999927660000'],
  ['Troy', '9792030394440796'],
  ['spaces', grouped(' ')],
  ['dashes', grouped('-')],
  ['dots', grouped('.')],
  ['underscores', grouped('_')],
  ['slashes', grouped('/')],
  ['tabs', grouped('\t')],
  ['line breaks', grouped('\r\n')],
  ['no-break spaces', grouped('\u00a0')],
  ['zero-width spaces', grouped('\u200b')],
  ['en dashes', grouped('–')],
  ['a space and a dash', grouped(' -')],
  ['a separator behind every digit', [...VISA].join(' ')],
  ['full-width digits', FULL_WIDTH],
  ['Arabic digits', ARABIC],
  ['mathematical digits', '\u{1d7d2}\u{1d7d0}'.repeat(8)],
  ['inside a sentence', `my card is ${VISA}, thanks`],
  ['between letters', `card${VISA}end`],
  ['behind another number', `order 2024 ${grouped(' ')}`],
  ['before its expiry and code', `${grouped(' ')} 12 27 123`],
  ['before its expiry with a slash', `${grouped(' ')} 12/27`],
  ['between the letters of hexadecimal', `cafe${VISA}babe`.slice(1)],
  ['beside a UUID', `550e8400-e29b-41d4-a716-446655440000 ${VISA}`],
  ['two of them', `${grouped(' ')} ${grouped(' ')}`],
];

for (const [disguise, text] of CARDS) {
  test(`a card number is detected: ${disguise}`, () => assert.equal(holdsCard(text), true));
}

const HARMLESS: [what: string, text: string][] = [
  ['fails the check sum', '4242424242424241'],
  ['12 digits', '424242424242'],
  ['20 digits', '42424242424242424242'],
  ['starts with 1', '1000000000000008'],
  ['starts with 7', '7992739871300000'],
  ['starts with 0', '0000000000000000'],
  ['a moment', '2026-11-21T04:05:06.789Z'],
  ['a phone number of 12 digits', '+237650000001'],
  ['a UUID', '550e8400-e29b-41d4-a716-446655440000'],
  ['a UUID with the digits of a card', 'a0c24242-4242-4242-8420-5a6b00000000'],
  ['a key in hexadecimal with the digits of a card', '539e9fa9bafae7a59c63169665986235'],
  ['an order named by such a hash', 'order_539e9fa9bafae7a59c63169665986235'],
  ['a UUID with a card from its start', '42424242-4242-4242-a716-446655440000'],
  ['a price list', '25 000, 30 000, 45 000'],
];

for (const [what, text] of HARMLESS) {
  test(`not a card number: ${what}`, () => assert.equal(holdsCard(text), false));
}

const NAMED: [path: string, body: object][] = [
  ['card_number', { card_number: 'x' }],
  ['cardNumber', { cardNumber: 'x' }],
  ['Card-Number', { 'Card-Number': 'x' }],
  ['card number', { 'card number': 'x' }],
  ['CARDNUMBER', { CARDNUMBER: 'x' }],
  ['pan', { pan: 'x' }],
  ['cvc', { cvc: '123' }],
  ['CVV', { CVV: 123 }],
  ['cvv2', { cvv2: '123' }],
  ['security_code', { security_code: '123' }],
  ['securityCode', { securityCode: '123' }],
  ['pin', { pin: '1234' }],
  ['PIN', { PIN: 1234 }],
  ['card_pin', { card_pin: '1234' }],
  ['cardPin', { cardPin: '1234' }],
  ['data.cvc', { data: { cvc: '123' } }],
  ['card.number', { card: { number: '4242' } }],
  ['card.exp_month', { card: { exp_month: 12 } }],
  ['card.expiry', { card: { expiry: '12/27' } }],
  ['metadata.card.number', { metadata: { card: { number: 'x' } } }],
  ['card.details.number', { card: { details: { number: 'x' } } }],
  ['items.0.pin', { items: [{ pin: '1' }] }],
  ['metadata.a.b.c.d.e.f.g.h.i.cvv', { metadata: { a: { b: { c: { d: { e: { f: { g: { h: { i: { cvv: '1' } } } } } } } } } } }],
];

for (const [path, body] of NAMED) {
  test(`a field named ${path} is card data`, () => assert.ok(inspectBody(body).cards[path]));
}

test('expiry and number fields next to a security code are reported with it', () => {
  const { cards } = inspectBody({ number: '1', exp_year: 2027, expiry: 'x', cvc: '1', name: 'Awa' });
  assert.deepEqual(Object.keys(cards).sort(), ['cvc', 'exp_year', 'expiry', 'number']);
});

const FREE: [what: string, body: object][] = [
  ['number alone', { number: '12' }],
  ['expires', { expires: { in: 60 } }],
  ['expiry alone', { metadata: { expiry_date: '2027' } }],
  ['pinned, company, span', { metadata: { pinned: 1, company: 'x', span: 'y', spinning: true } }],
  ['a null code', { cvc: null }],
  ['an empty code', { cvc: '' }],
  ['a card-like phone', { phone: '4222222222222' }],
  ['a card-like customer.phone', { customer: { phone: '+4222222222222' } }],
  ['a card-like data.phone', { data: { phone: '4222222222222' } }],
  ['a card-like data.account_number', { data: { account_number: VISA } }],
  ['a card-like data.otp', { data: { otp: VISA } }],
  ['the largest amounts', { amount: 9_007_199_254_740 }],
];

for (const [what, body] of FREE) {
  test(`accepted: ${what}`, () => assert.deepEqual(inspectBody(body), { cards: {}, faults: {} }));
}

const DEEP = Array.from({ length: 10 }).reduce<object>((inner) => ({ in: inner }), { at: VISA });

const PLACES: [path: string, body: object][] = [
  ['metadata.n', { metadata: { n: Number(VISA) } }],
  ['metadata', { metadata: { [VISA]: 1 } }],
  ['metadata', { metadata: { [grouped(' ')]: null } }],
  ['body', { [FULL_WIDTH]: 1 }],
  ['description', { description: FULL_WIDTH }],
  ['metadata.list.1', { metadata: { list: ['x', VISA] } }],
  [`${'in.'.repeat(10)}at`, DEEP],
  ['phone', { phone: '4000 0025 0000 3155' }],
  ['metadata.data.phone', { metadata: { data: { phone: '4000002500003155' } } }],
  ['metadata.account_number', { metadata: { account_number: VISA } }],
  ['metadata.otp', { metadata: { otp: VISA } }],
  ['metadata.recipient', { metadata: { recipient: VISA } }],
  ['metadata.phone', { metadata: { phone: Number(VISA) } }],
  ['items.0.description', { items: [{ description: `paid with ${VISA}` }] }],
];

for (const [path, body] of PLACES) {
  test(`a card number is detected at ${path} in ${JSON.stringify(body).slice(0, 70)}`, () => {
    const { cards } = inspectBody(body);
    assert.deepEqual(
      cards[path],
      ['looks like it holds a card number, which is never accepted here'],
      `only at [${Object.keys(cards)}]`,
    );
    assert.doesNotMatch(JSON.stringify(cards), /\d{4}/);
  });
}

test('a card number is detected in any surrounding text', () => {
  const noise = fc.string({ unit: fc.constantFrom('a', 'É', '#', ':', '(', ')', '"', '€') });
  const separator = fc.constantFrom('', ' ', '-', '.');
  fc.assert(fc.property(noise, separator, noise, (before, mark, behind) => holdsCard(`${before}${grouped(mark)}${behind}`)));
});

test('a charge body reports every number with a card prefix, even if no issuer uses it', () => {
  const body = { note: '3100000000000003' };
  assert.deepEqual(Object.keys(inspectBody(body, 'any').cards), ['note']);
  assert.deepEqual(inspectBody(body).cards, {});
});

test('any body can be inspected without an error', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => inspectBody(value) !== undefined));
});
