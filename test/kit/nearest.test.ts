import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editDistance, nearest } from '../../src/kit/nearest.ts';

const FIELDS = [
  'amount',
  'currency',
  'email',
  'phone',
  'callback',
  'reference',
  'name',
  'expires',
  'expires.in',
  'customer.email',
];

/** Names of other APIs and slips of fingers, with what was meant. */
const MEANT: [written: string, meant: string | null][] = [
  ['callback_url', 'callback'],
  ['callbackUrl', 'callback'],
  ['CALLBACK-URL', 'callback'],
  ['expires_in', 'expires.in'],
  ['expiresIn', 'expires.in'],
  ['customer_email', 'customer.email'],
  ['customerEmail', 'customer.email'],
  ['order_reference', 'reference'],
  ['refrence', 'reference'],
  ['emial', 'email'],
  ['nmae', 'name'],
  ['Currency', 'currency'],
  ['amount_cents', 'amount'],
  ['phone_number', 'phone'],
  ['full_name', 'name'],
  ['tx', null],
  ['notify', null],
  ['', null],
  ['_', null],
  ['renamed', null],
  ['é'.repeat(10_000), null],
];

for (const [written, meant] of MEANT) {
  test(`${written.slice(0, 20)}: ${meant ?? 'nothing'} is meant`, () => assert.equal(nearest(written, FIELDS), meant));
}

/** The definition of the distance, without its table: exponential, so for short words. */
function defined(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const options = [
    defined(a.slice(1), b) + 1,
    defined(a, b.slice(1)) + 1,
    defined(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) options.push(defined(a.slice(2), b.slice(2)) + 1);
  return Math.min(...options);
}

test('the edit distance is the fewest insertions, deletions, replacements and swaps of neighbours', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
  fc.assert(fc.property(word, word, (a, b) => assert.equal(editDistance(a, b), defined(a, b))));
});
