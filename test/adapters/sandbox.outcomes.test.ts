import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection, Reading, Submission } from '../../src/providers/adapters/contract.ts';
import { isReason, payerMessage, REASON_CODES } from '../../src/providers/adapters/reasons.ts';
import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { testCardToken } from '../../src/providers/adapters/sandbox/codes.ts';

const NOW = 1_790_000_000_000;
const DELAY = 800;

function collection(changes: Partial<Collection>): Collection {
  return {
    attempt_id: 'att_1',
    provider_key: 'att_1234567890',
    provider_ref: null,
    handle: null,
    amount_minor: 100_000n,
    currency: 'XAF',
    channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
    payer: null,
    description: 'x',
    return_url: 'http://127.0.0.1/pay/x/card',
    callback_url: 'http://127.0.0.1/_callbacks/sandbox',
    submitted_at: NOW,
    expires_at: NOW + 86_400_000,
    ...changes,
  };
}

/** What the sandbox makes of a collection: its answer, and its readings after so many milliseconds. */
async function story(given: Collection, ...ages: number[]): Promise<[string, ...string[]]> {
  let now = NOW;
  const provider = sandboxProvider({ clock: { now: () => now }, delay_ms: DELAY });
  const words = [said(await provider.submit(given))] as [string, ...string[]];
  for (const age of ages) {
    now = NOW + age;
    words.push(said(await provider.read(given)));
  }
  return words;
}

function said(answer: Submission | Reading): string {
  if (answer.kind === 'accepted') return `accepted ${answer.next.kind}`;
  return 'reason' in answer ? `${answer.kind} ${answer.reason}` : answer.kind;
}

const BY_SUFFIX: [suffix: string, story: string[]][] = [
  ['000000', ['pending', 'succeeded', 'succeeded']],
  ['000001', ['pending', 'failed insufficient_funds', 'failed insufficient_funds']],
  ['000002', ['pending', 'failed operator_declined', 'failed operator_declined']],
  ['000003', ['pending', 'pending', 'failed authorization_timeout']],
  ['000004', ['pending', 'cancelled payer_declined', 'cancelled payer_declined']],
  ['000009', ['pending', 'succeeded', 'succeeded']],
  ['123456', ['pending', 'succeeded', 'succeeded']],
];

const REFUSED_AT_ONCE: Record<string, string> = {
  '000001': 'refused insufficient_funds',
  '000002': 'refused operator_declined',
};

for (const [suffix, readings] of BY_SUFFIX) {
  test(`a phone …${suffix}: ${REFUSED_AT_ONCE[suffix] ?? 'accepted'}, then ${readings.join(', ')}`, async () => {
    const told = await story(collection({ payer: `+237650${suffix}` }), DELAY - 1, DELAY, 2 * DELAY);
    assert.deepEqual(told, [REFUSED_AT_ONCE[suffix] ?? 'accepted confirm', ...readings]);
  });

  test(`a bank account …${suffix} ends the same way`, async () => {
    const channel = { id: 'cm.bank', kind: 'bank', country: 'CM' } as const;
    const told = await story(collection({ channel, payer: `CM21 10003-00100-${suffix}` }), DELAY - 1, DELAY, 2 * DELAY);
    assert.deepEqual(told, [REFUSED_AT_ONCE[suffix] ?? 'accepted transfer', ...readings]);
  });
}

const CARDS: [number: string, outcome: string][] = [
  ['4242424242424242', 'succeeded'],
  ['5555555555554444', 'succeeded'],
  ['4000000000000002', 'refused card_declined'],
  ['4000000000009995', 'refused insufficient_funds'],
  ['4000000000000069', 'refused expired_card'],
  ['4000000000000127', 'refused authentication_failed'],
  ['4000000000000119', 'refused provider_error'],
  ['4000002500003155', 'accepted redirect'],
  ['4100000000000019', 'refused fraud_blocked'],
];

const card = { id: 'cm.card', kind: 'card', country: 'CM' } as const;

for (const [number, outcome] of CARDS) {
  test(`test card ${number}: ${outcome}`, async () => {
    const token = testCardToken(number.replace(/(\d{4})(?=\d)/g, '$1 '));
    assert.ok(token && !token.includes(number.slice(-4)));
    assert.equal((await story(collection({ channel: card, payer: token })))[0], outcome);
  });
}

test('any other card number is not a test card', () => {
  for (const number of ['4111111111111111', '4242424242424241', '', '42', 'constructor'])
    assert.equal(testCardToken(number), null);
});

test('a card is pending on its page until the window closes, then expires', async () => {
  const given = collection({ channel: card });
  assert.deepEqual(await story(given, 0, 86_399_999, 86_400_000), ['accepted redirect', 'pending', 'pending', 'expired']);
});

test('3-D Secure: a passed challenge succeeds, a failed one is rejected', async () => {
  const provider = sandboxProvider({ clock: { now: () => NOW }, delay_ms: DELAY });
  const given = collection({ channel: card, payer: testCardToken('4000002500003155') });
  assert.equal(said((await provider.continue?.(given, { kind: 'authentication', passed: true })) as Submission), 'succeeded');
  const failed = (await provider.continue?.(given, { kind: 'authentication', passed: false })) as Submission;
  assert.equal(said(failed), 'refused authentication_failed');
});

test('a success has the requested amount and currency', async () => {
  const provider = sandboxProvider({ clock: { now: () => NOW + DELAY }, delay_ms: DELAY });
  const reading = await provider.read(collection({ payer: '+237650000000', amount_minor: 12_345n, currency: 'GHS' }));
  assert.deepEqual(reading, {
    kind: 'succeeded',
    provider_ref: 'sandbox-att_1234567890',
    amount_minor: 12_345n,
    currency: 'GHS',
  });
});

test('the list of reasons is closed, and each has a text for the payer in both languages', () => {
  assert.deepEqual(REASON_CODES, [
    'insufficient_funds',
    'wrong_pin',
    'authorization_timeout',
    'payer_declined',
    'limit_exceeded',
    'authentication_failed',
    'card_declined',
    'expired_card',
    'channel_unavailable',
    'operator_declined',
    'provider_error',
    'invalid_number',
    'payer_not_registered',
    'fraud_blocked',
    'duplicate_transaction',
    'unknown',
  ]);
  for (const reason of REASON_CODES) assert.ok(payerMessage(reason).length > 10);
  assert.equal(isReason('toString'), false);
});
