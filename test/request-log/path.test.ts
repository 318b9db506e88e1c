import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { loggedPath, wordsOf } from '../../src/tenants/request-log/path.ts';

const words = wordsOf(['/payments/:id/refunds', '/payment_methods/:id', '/balance']);
const id = newId('trx', 'sandbox', Date.now());

const CASES: readonly [url: string, logged: string][] = [
  ['/payments', '/payments'],
  [`/payments/${id}/refunds?per_page=5&search=Awa`, `/payments/${id}/refunds`],
  ['/payments/+22507010203', '/payments/…'],
  ['/payments/awa%40shop.example', '/payments/…'],
  ['/payments/trx_4242424242424242', '/payments/…'],
  ['/Awa/Traoré/', '/…/…/'],
  [`/payments/${id}%20Awa`, '/payments/…'],
  [`/payments/${id}#Awa`, `/payments/${id}`],
  [`${'/balance'.repeat(20)}`, `${'/balance'.repeat(7)}/…`],
];

test('a logged path has fixed segments and own ids only', () => {
  for (const [url, logged] of CASES) assert.equal(loggedPath(url, words), logged);
});

test('an address in absolute form keeps nothing of its host', () => {
  assert.doesNotMatch(loggedPath('http://awa.example/payments', words), /awa/);
});
