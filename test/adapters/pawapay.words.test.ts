import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingOf } from '../../src/providers/adapters/pawapay/collect.ts';
import {
  acceptanceOf,
  paymentReason,
  payoutReason,
  refundReason,
  statusInData,
  statusOf,
} from '../../src/providers/adapters/pawapay/codes.ts';
import { amountText, minorOf } from '../../src/providers/adapters/wire/amounts.ts';
import { rawMessage } from '../../src/providers/adapters/wire/text.ts';
import { compareGolden } from '../setup/golden.ts';

/** Every failure code that is published (docs.pawapay.io/v2/docs/failure_codes), and one that is not. */
const CODES = `INVALID_PHONE_NUMBER AMOUNT_OUT_OF_BOUNDS INVALID_AMOUNT INVALID_CURRENCY INVALID_PROVIDER DEPOSITS_NOT_ALLOWED
  PAYOUTS_NOT_ALLOWED REFUNDS_NOT_ALLOWED PROVIDER_TEMPORARILY_UNAVAILABLE PAYER_NOT_FOUND PAYMENT_NOT_APPROVED INSUFFICIENT_BALANCE
  PAYER_LIMIT_REACHED WALLET_LIMIT_REACHED PAYMENT_IN_PROGRESS UNSPECIFIED_FAILURE OTHER_ERROR UNKNOWN_ERROR RECIPIENT_NOT_FOUND
  PAWAPAY_WALLET_OUT_OF_FUNDS MANUALLY_CANCELLED NOT_FOUND INVALID_STATE DEPOSIT_ALREADY_REFUNDED REFUND_IN_PROGRESS
  AMOUNT_TOO_LARGE TRANSACTION_ALREADY_IN_PROCESS RECIPIENT_LIMIT_REACHED SOMETHING_NEW`.split(/\s+/);

const answered = (status: number, body: unknown) => ({ kind: 'answered', status, body }) as const;

test('every pawaPay code is mapped', () => {
  const lines = CODES.map((code) => {
    const failureReason = { failureCode: code, failureMessage: 'words' };
    const taken = acceptanceOf(answered(200, { status: 'REJECTED', failureReason }));
    const reading = readingOf(statusInData({ status: 'FAILED', failureReason }, 'depositId'), 1, 'https://api.pawapay.io');
    const payment = 'reason' in reading ? `${reading.kind} ${reading.reason}` : reading.kind;
    return `${code.padEnd(34)} at once: ${taken.kind.padEnd(12)} payment: ${payment.padEnd(30)} payout: ${String(payoutReason(code)).padEnd(24)} refund: ${refundReason(code)}`;
  });
  compareGolden('pawapay-reasons.txt', lines);
});

test('a code with a name that every object inherits is an unknown one', () => {
  for (const code of ['constructor', '__proto__', 'toString'])
    assert.deepEqual([paymentReason(code), payoutReason(code), refundReason(code)], ['unknown', null, 'unknown'], code);
});

test('only explicit rejections prove that nothing was created', () => {
  const kinds = [200, 201, 204, 301, 400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504].map((status) => [
    status,
    acceptanceOf(answered(status, null)).kind,
  ]);
  assert.deepEqual(Object.fromEntries(kinds), {
    ...{ 200: 'unknown', 201: 'unknown', 204: 'unknown', 301: 'unknown', 408: 'unknown', 409: 'unknown' },
    ...{ 400: 'unavailable', 401: 'unavailable', 403: 'unavailable', 404: 'unavailable', 429: 'unavailable' },
    ...{ 500: 'unknown', 502: 'unknown', 503: 'unknown', 504: 'unknown' },
  });
  assert.equal(acceptanceOf({ kind: 'unsent', message: 'refused' }).kind, 'unavailable');
  assert.equal(acceptanceOf({ kind: 'lost', message: 'timeout' }).kind, 'unknown');
  assert.equal(acceptanceOf(answered(200, { status: 'NEW_STATUS' })).kind, 'unknown');
});

test('a status response counts only when it is complete and for the requested key', () => {
  const found = (data: unknown) => statusOf(answered(200, { status: 'FOUND', data }), 'depositId', 'mine').kind;
  const whole = { depositId: 'mine', status: 'COMPLETED', amount: '5000.00', currency: 'XAF' };
  assert.equal(found(whole), 'completed');
  assert.equal(found({ ...whole, depositId: 'other' }), 'unreadable');
  assert.equal(found({ ...whole, amount: undefined }), 'unreadable');
  assert.equal(found({ ...whole, amount: '5000.005' }), 'unreadable');
  assert.equal(found({ ...whole, currency: '' }), 'unreadable');
  assert.equal(found({ ...whole, status: 'NEW_STATUS' }), 'unreadable');
  assert.equal(found(null), 'unreadable');
  assert.equal(statusOf(answered(404, { status: 'NOT_FOUND' }), 'depositId', 'mine').kind, 'unreadable');
  assert.equal(statusOf(answered(200, { status: 'NOT_FOUND' }), 'depositId', 'mine').kind, 'not_found');
});

test('amounts are exact text in both directions', () => {
  const cases: [bigint, 0 | 2, string | null][] = [
    [500_000n, 0, '5000'],
    [500_000n, 2, '5000'],
    [500_050n, 2, '5000.50'],
    [5n, 2, '0.05'],
    [500_050n, 0, null],
    [0n, 2, null],
    [-100n, 0, null],
    [900_719_925_474_099n, 2, '9007199254740.99'],
  ];
  for (const [minor, decimals, text] of cases) {
    assert.equal(amountText(minor, decimals), text);
    if (text !== null) assert.equal(minorOf(text), minor);
  }
  assert.deepEqual(['5000.00', '5000.0', 5000, '5000.100'].map(minorOf), [500_000n, 500_000n, 500_000n, 500_010n]);
  assert.deepEqual(['', '-1', '1e3', '1.005', ' 1', '1,5', null, {}, Number.NaN].map(minorOf), Array(9).fill(null));
});

test('raw messages keep codes and omit personal data and secrets', () => {
  assert.equal(
    rawMessage('PAYER_LIMIT_REACHED', 'The payer 237 653 45 60 19 is poor.'),
    'PAYER_LIMIT_REACHED: The payer … is poor.',
  );
  assert.equal(rawMessage('mail awa.n@example.com now'), 'mail … now');
  assert.equal(rawMessage('token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc_123 is bad'), 'token … is bad');
  assert.equal(
    rawMessage('LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED'),
    'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED',
  );
  assert.equal(rawMessage('a\n\tb', null, 7, ''), 'a b');
  assert.equal(rawMessage('x'.repeat(5_000)).length, 200);
});
