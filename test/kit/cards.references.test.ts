import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { GROUPINGS, ISSUERS } from '../../src/kit/card-table.ts';
import { holdsCard } from '../../src/kit/cards.ts';

const COUNT = 5_000;
const DAY_MS = 86_400_000;

/** The same numbers in every run. */
let state = 20261122;
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('');
const letters = (count: number, alphabet: string) =>
  Array.from({ length: count }, () => alphabet[random(alphabet.length)]).join('');
const hash = () => createHash('sha256').update(digits(20)).digest('hex');
const moment = () => new Date(1_767_225_600_000 + random(1000) * DAY_MS + random(DAY_MS));
const stamp = () => moment().toISOString();
const date = () => stamp().slice(0, 10);
const clock = () => stamp().slice(11, 19);
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function uuid(version: string): string {
  return hash().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, `$1-$2-${version}$3-a$4-$5`);
}

/** Of Cameroon: 23 digits behind the check digits, which are right. */
function iban(): string {
  const account = digits(23);
  const check = String(98n - (BigInt(`${account}122200`) % 97n)).padStart(2, '0');
  return `CM${check}${account}`.replace(/(.{4})(?=.)/g, '$1 ');
}

/** How references, keys and texts of merchants look that are no card number and no bare run of a card's length. */
const SHAPES: Record<string, () => string> = {
  'key of numbered groups': () => `l${digits(2)}-${digits(3)}-${digits(2)}.${digits(6)}`,
  'order of a day': () => `ORD-${date().replaceAll('-', '')}-${digits(6)}`,
  'invoice of a year': () => `FA/2026/${digits(2)}/${digits(5)}`,
  'random UUID': () => uuid('4'),
  'UUID by time': () => uuid('7'),
  'hash in hexadecimal': () => hash(),
  'SHA-1': () => hash().slice(0, 40),
  'object id': () => hash().slice(0, 24),
  'span id': () => `${hash().slice(0, 15)}a`,
  ULID: () => `01${letters(24, '0123456789ABCDEFGHJKMNPQRSTVWXYZ')}`,
  'base 62': () => letters(22, BASE62),
  'milliseconds and a number': () => `${moment().getTime()}-${digits(4)}`,
  'moment of a day': () => stamp(),
  'day and time in numbers': () => `${date().replaceAll('-', '').slice(2)}-${clock().replaceAll(':', '')}-${digits(3)}`,
  'order of a marketplace': () => `${digits(3)}-${digits(7)}-${digits(7)}`,
  'two telephone numbers': () =>
    `+237 6${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)} / +225 07 ${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)}`,
  'payment of a number': () => `237 6${digits(8)} ${digits(5)}`,
  'account with bank, branch and key': () => `${digits(5)} ${digits(5)} ${digits(11)} ${digits(2)}`,
  'international account number': iban,
  'cart and customer': () => `cart_${digits(5)}_${digits(6)}_${digits(4)}`,
  parcel: () => `RR ${digits(3)} ${digits(3)} ${digits(3)} CM ${digits(6)}.${digits(2)}`,
  'amounts in a sentence': () => `25 ${digits(3)} XAF, 1 ${digits(3)}.${digits(2)} EUR, ${digits(6)} XOF`,
  'day with slashes and a counter': () => `${date().replaceAll('-', '/')} ${clock()} ${digits(7)}`,
  'version and build': () => `v${digits(1)}.${digits(2)}.${digits(3)}-${digits(8)}.${digits(4)}`,
};

for (const [shape, make] of Object.entries(SHAPES)) {
  test(`no reference of this shape is taken for a card number, of ${COUNT}: ${shape}`, () => {
    const refused = Array.from({ length: COUNT }, make).filter((text) => holdsCard(text));
    assert.deepEqual(refused.slice(0, 3), []);
  });
}

test('ungrouped digits are detected as card numbers only with the prefix of an issuer', () => {
  const free = ['20261122153012', '1764000000000', '2611221530001', '3199999999999999', '2805551234567890', '59000000000000'];
  for (const start of free) {
    for (let last = 0; last < 10; last++) assert.equal(holdsCard(start.slice(0, -1) + last), false, start);
  }
});

const TEST_CARDS = [
  ...['4242424242424242', '5555555555554444', '4000000000000002', '4000000000009995', '4000000000000069', '4000000000000127'],
  ...['4000000000000119', '4000002500003155', '4100000000000019', '4222222222222', '4111111111111111', '4084084084084081'],
  ...['2223003122003222', '378282246310005', '371449635398431', '30569309025904', '3056930009020004', '36227206271667'],
  ...['6011111111111117', '6205500000000000004', '6200000000000005', '3566002020360505', '3530111333300000'],
  ...[
    '5060666666666666666',
    '507850785078507812',
    '5061020000000000094',
    '8171999927660000',
    '9792030394440796',
    '6759649826438453',
  ],
  ...['5019717010103742', '2200000000000004', '2205000000000009', '8600000000000007', '9704000000000018', '9704000000000000016'],
];

const written = (card: string) => [
  card,
  ...GROUPINGS.filter((sizes) => sizes.reduce((a, b) => a + b) === card.length).map((sizes) => grouped(card, sizes)),
];

function grouped(card: string, sizes: readonly number[]): string {
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  return sizes.map((size, index) => card.slice(starts[index], (starts[index] as number) + size)).join(' ');
}

const inDigits = (zero: number) => (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

const DISGUISES: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'full-width digits': inDigits(0xff10),
  'Arabic digits': inDigits(0x0660),
  'mathematical digits': inDigits(0x1d7ce),
  'a mark on every digit': (text) => text.replace(/\d/g, '$&\u0336'),
  'many marks on every digit': (text) => text.replace(/\d/g, `$&${'\u0301\u0316'.repeat(40)}`),
  keycaps: (text) => text.replace(/\d/g, '$&\ufe0f\u20e3'),
  'a zero-width space behind every digit': (text) => text.replace(/\d/g, '$&\u200b'),
  'a soft hyphen in the middle': (text) => `${text.slice(0, 7)}\u00ad${text.slice(7)}`,
  'a word joiner and a digit behind it': (text) => `${text}\u2060 1`,
  'no-break spaces': (text) => text.replaceAll(' ', '\u00a0'),
  dots: (text) => text.replaceAll(' ', '.'),
  dashes: (text) => text.replaceAll(' ', ' – '),
  'line breaks': (text) => text.replaceAll(' ', '\r\n'),
  'spaces not seen': (text) => text.replaceAll(' ', '\u200b \u200b'),
  'before its expiry and code': (text) => `${text} 12/27 123`,
  'behind an order': (text) => `order 2024, card ${text}.`,
  'between letters': (text) => `card${text}end`,
  'beside a UUID': (text) => `550e8400-e29b-41d4-a716-446655440000 ${text}`,
  'digits one by one': (text) => [...text.replaceAll(' ', '')].join(' '),
};

for (const [disguise, dress] of Object.entries(DISGUISES)) {
  test(`every test card is found, in every grouping: ${disguise}`, () => {
    const missed = TEST_CARDS.flatMap(written)
      .map(dress)
      .filter((text) => !holdsCard(text));
    assert.deepEqual(missed, []);
  });
}

const IN_FIELDS = [
  ...['4242 4242 4242 4242', '3714 496353 98431', '3056 930902 5904', '6304 0000 0000 00000', '6304 0000 0000 0001 8'],
  ...[
    '4222 2222 2222 2',
    '3056 9309 0259 04',
    '3782 8224 6310 005',
    '6304 0000 0000 0',
    '6304 0000 00000',
    '5078 5078 5078 5078 12',
  ],
  ...[
    '5060 6666 6666 6666666',
    '5078 5078 5078 507812',
    '6205 5000 0000 0000 004',
    '620550 0000000000004',
    '6304 0000 0000 0000 0',
  ],
  ...[
    '4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2 1 2 2 6',
    '7 4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2',
    '4-2-4-2-4-2-4-2-4-2-4-2-4-2-4-2-1-2-2-6-1-2-3',
  ],
];

test('a card number is found as fields for it part it, and with its date when all is written digit by digit', () => {
  const missed = IN_FIELDS.filter((text) => !holdsCard(text) || !holdsCard(text, 'any'));
  assert.deepEqual(missed, []);
});

test('every issuer of the table has a test card in this file', () => {
  const issuerOf = (card: string) =>
    ISSUERS.filter(({ ranges }) =>
      ranges.some(([from, to = from]) => card.slice(0, from.length) >= from && card.slice(0, from.length) <= to),
    );
  const named = new Set(TEST_CARDS.flatMap(issuerOf).map(({ name }) => name));
  assert.deepEqual(
    ISSUERS.map(({ name }) => name).filter((name) => !named.has(name)),
    ['RuPay'],
  );
});
