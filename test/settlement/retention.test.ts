import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { availableAt, captureAccount, itemsOf } from '../../src/money/settlement/retention.ts';

const AT = Date.parse('2026-11-20T10:00:00Z');
const DAY_MS = 86_400_000;
const config = readConfig({ HOLD_BANK: '0h' });
const PAYMENT = { team_id: 1n, payment_id: 'trx_1', currency: 'XAF' };
const SHARES = [
  { account_id: '', amount_minor: 1_000n },
  { account_id: 'acct_1', amount_minor: 9_000n },
];

test('captured money is available at once in the sandbox and on a channel without retention, and later on any other', () => {
  assert.equal(availableAt(config, 'sandbox', 'card', AT), null);
  assert.equal(availableAt(config, 'live', 'bank', AT), null);
  assert.deepEqual(availableAt(config, 'live', 'mobile_money', AT), new Date(AT + DAY_MS));
  assert.deepEqual(availableAt(config, 'live', 'card', AT), new Date(AT + 5 * DAY_MS));
});

test('retained money is pending, with a release at the given time', () => {
  const available_at = new Date(AT + DAY_MS);
  assert.equal(captureAccount(available_at), 'pending');
  assert.deepEqual(
    itemsOf(PAYMENT, SHARES, available_at, AT).map(({ amount_minor, release_at, released_at }) => [
      amount_minor,
      release_at,
      released_at,
    ]),
    [
      [1_000n, available_at, null],
      [9_000n, available_at, null],
    ],
  );
});

test('money without retention is available, and its items are already released', () => {
  assert.equal(captureAccount(null), 'available');
  assert.deepEqual(
    itemsOf(PAYMENT, SHARES, null, AT)[1],
    {
      ...PAYMENT,
      account_id: 'acct_1',
      share_minor: 9_000n,
      amount_minor: 0n,
      release_at: new Date(AT),
      released_at: new Date(AT),
    },
    'with all its fields',
  );
  assert.deepEqual(
    itemsOf(PAYMENT, SHARES, null, AT).map(({ share_minor, amount_minor, released_at }) => [
      share_minor,
      amount_minor,
      released_at,
    ]),
    [
      [1_000n, 0n, new Date(AT)],
      [9_000n, 0n, new Date(AT)],
    ],
  );
});
