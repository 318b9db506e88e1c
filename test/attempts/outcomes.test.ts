import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { changeOfReading, changeOfSubmission } from '../../src/core/charge/outcomes.ts';
import { isTooLate } from '../../src/core/charge/steps.ts';
import { backOff, isNewPoll, mayBeSentAgain, mayNotBeShownYet } from '../../src/providers/adapters/polling.ts';
import type { AttemptRow, AttemptStatus } from '../../src/core/attempts/schema.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import type { Reading, Submission } from '../../src/providers/adapters/contract.ts';

const config = readConfig({});
const AT = 1_790_000_000_000;

const payment = {
  team_id: 1n,
  id: 'trx_1',
  amount_minor: 100_000n,
  currency: 'XAF',
  bearer: 'merchant',
  status: 'pending',
  expires_at: new Date(AT + 60_000),
} as PaymentRow;

function attemptIn(status: AttemptStatus): AttemptRow {
  return {
    team_id: 1n,
    id: 'att_1',
    payment_id: 'trx_1',
    provider: 'p',
    channel: 'cm.mtn',
    status,
    amount_minor: 100_000n,
    currency: 'XAF',
    polls: 3,
    submitted_at: status === 'created' ? null : new Date(AT - 5_000),
    created_at: new Date(AT - 6_000),
    provider_ref: null,
    mismatch: null,
  } as AttemptRow;
}

/** What the provider declares: looks double from two seconds, "not found" proves nothing for ten minutes. */
const PLAN = { polls: { first_ms: 2_000, factor: 2, max_ms: 300_000 }, not_found_grace_ms: 600_000 };
const MINUTE_MS = 60_000;
/** How long a provider declares that its "not found" proves nothing, and how long none is evidence. */
const GRACES = [
  [0, 10 * MINUTE_MS],
  [5 * MINUTE_MS, 10 * MINUTE_MS],
  [10 * MINUTE_MS, 10 * MINUTE_MS],
  [15 * MINUTE_MS, 15 * MINUTE_MS],
] as const;
const PROOF = { provider_ref: 'ref', amount_minor: 100_000n, currency: 'XAF' };
const NO = { reason: 'wrong_pin', message: 'no' } as const;
const REDIRECT = { kind: 'redirect', url: 'https://x' } as const;

/** The attempt's new status, seconds until the next look (or none), and the occurrences in order. */
function told(change: ReturnType<typeof changeOfReading>): string {
  const { update } = change.attempt ?? assert.fail('every outcome is about the attempt');
  const look = update.next_poll_at === null ? 'done' : `again in ${(update.next_poll_at.getTime() - AT) / 1000} s`;
  return [update.status, look, ...change.occurrences.map(({ kind }) => kind)].join(', ');
}

const SUBMISSIONS: [submission: Submission, outcome: string][] = [
  [{ kind: 'accepted', provider_ref: null, next: REDIRECT, poll_after_ms: 700 }, 'open, again in 0.7 s, submitted'],
  [{ kind: 'succeeded', ...PROOF }, 'succeeded, done, submitted, captured'],
  [{ kind: 'succeeded', ...PROOF, amount_minor: 99_999n }, 'unknown, again in 300 s, submitted, mismatched'],
  [{ kind: 'succeeded', ...PROOF, amount_minor: 100_001n }, 'unknown, again in 300 s, submitted, mismatched'],
  [{ kind: 'succeeded', ...PROOF, currency: 'XOF' }, 'unknown, again in 300 s, submitted, mismatched'],
  [{ kind: 'refused', ...NO }, 'failed, done, declined'],
  [{ kind: 'unavailable', message: 'down' }, 'unavailable, done'],
  [{ kind: 'duplicate' }, 'unknown, again in 0 s, submitted'],
  [{ kind: 'unknown', message: 'timeout' }, 'unknown, again in 2 s, submitted'],
];

for (const [submission, outcome] of SUBMISSIONS) {
  test(`submitted: ${said(submission)} → ${outcome}`, () => {
    assert.equal(told(changeOfSubmission(config, 'live', payment, attemptIn('created'), submission, AT)), outcome);
  });
}

/** Per reading: the outcome for an open attempt, and for one whose sender died before the answer. */
const READINGS: [reading: Reading, open: string, created: string][] = [
  [{ kind: 'pending', poll_after_ms: 4_000 }, 'open, again in 4 s', 'open, again in 4 s, submitted'],
  [{ kind: 'pending', poll_after_ms: 0 }, 'open, again in 0.1 s', 'open, again in 0.1 s, submitted'],
  [{ kind: 'succeeded', ...PROOF }, 'succeeded, done, captured', 'succeeded, done, submitted, captured'],
  [
    { kind: 'succeeded', ...PROOF, amount_minor: 1n },
    'unknown, again in 300 s, mismatched',
    'unknown, again in 300 s, submitted, mismatched',
  ],
  [
    { kind: 'succeeded', ...PROOF, currency: 'USD' },
    'unknown, again in 300 s, mismatched',
    'unknown, again in 300 s, submitted, mismatched',
  ],
  [{ kind: 'failed', ...NO }, 'failed, done, declined', 'failed, done, submitted, declined'],
  [{ kind: 'cancelled', ...NO }, 'cancelled, done, payer_cancelled', 'cancelled, done, submitted, payer_cancelled'],
  [{ kind: 'expired' }, 'expired, done, declined', 'expired, done, submitted, declined'],
  [{ kind: 'not_found' }, 'open, again in 16 s', 'unknown, again in 16 s, submitted'],
  [{ kind: 'unreadable', message: '?' }, 'open, again in 16 s', 'unknown, again in 16 s, submitted'],
];

for (const [reading, open, created] of READINGS) {
  test(`read: ${said(reading)} → ${open}; after a crash → ${created}`, () => {
    assert.equal(told(changeOfReading(config, 'live', payment, attemptIn('open'), reading, PLAN, AT)), open);
    assert.equal(told(changeOfReading(config, 'live', payment, attemptIn('created'), reading, PLAN, AT)), created);
  });
}

test('an unknown attempt stays unknown while "not found" comes soon after sending, however often it is polled', () => {
  for (const polls of [0, 1, 10, 1_000]) {
    const change = changeOfReading(config, 'live', payment, { ...attemptIn('unknown'), polls }, { kind: 'not_found' }, PLAN, AT);
    assert.equal(change.attempt?.update.status, 'unknown');
    assert.deepEqual(change.occurrences, []);
  }
});

test('"not found" is evidence that the request never arrived after ten minutes, or after the time its provider takes to show one', () => {
  for (const [grace_ms, wait_ms] of GRACES) {
    const plan = { ...PLAN, not_found_grace_ms: grace_ms };
    const after = (age_ms: number) => {
      const attempt = { ...attemptIn('unknown'), submitted_at: new Date(AT - age_ms) };
      return told(changeOfReading(config, 'live', payment, attempt, { kind: 'not_found' }, plan, AT));
    };
    assert.deepEqual([after(wait_ms - 1), after(wait_ms)], ['unknown, again in 16 s', 'expired, done, declined']);
    const isSent = (age_ms: number) => !isTooLate(plan, AT - age_ms, AT);
    assert.deepEqual([isSent(wait_ms / 2), isSent(wait_ms / 2 + 1)], [true, false], 'nothing is sent in its second half');
  }
});

test('an attempt that the provider accepted is never closed because its status is not found', () => {
  const old = { ...attemptIn('open'), submitted_at: new Date(AT - 86_400_000) };
  const { attempt, occurrences } = changeOfReading(config, 'live', payment, old, { kind: 'not_found' }, PLAN, AT);
  assert.deepEqual([attempt?.update.status, occurrences], ['open', []]);
});

test('an attempt is never closed by its age while the provider returns no readable status', () => {
  const old = { ...attemptIn('unknown'), submitted_at: new Date(AT - 86_400_000) };
  const unreadable = changeOfReading(config, 'live', payment, old, { kind: 'unreadable', message: '?' }, PLAN, AT);
  assert.deepEqual([unreadable.attempt?.update.status, unreadable.occurrences], ['unknown', []]);
});

test('closed unpaid at the provider: expired after the end of the window, declined before it', () => {
  const over = { ...payment, expires_at: new Date(AT) };
  const change = changeOfReading(config, 'live', over, attemptIn('open'), { kind: 'expired' }, PLAN, AT);
  assert.deepEqual(change.occurrences, [{ kind: 'window_elapsed' }]);
  const early = changeOfReading(config, 'live', payment, attemptIn('open'), { kind: 'expired' }, PLAN, AT);
  assert.deepEqual(
    early.occurrences.map((occurrence) => ('reason' in occurrence ? occurrence.reason : '')),
    ['authorization_timeout'],
  );
});

test('captured money is retained as configured for the channel in live, and not at all in the sandbox', () => {
  for (const [environment, channel, retention_ms] of [
    ['live', 'cm.mtn', 86_400_000],
    ['live', 'cm.bank', 172_800_000],
    ['live', 'cm.card', 432_000_000],
    ['sandbox', 'cm.card', 0],
  ] as const) {
    const { occurrences } = changeOfReading(
      config,
      environment,
      payment,
      { ...attemptIn('open'), channel },
      { kind: 'succeeded', ...PROOF },
      PLAN,
      AT,
    );
    const available_at = retention_ms === 0 ? null : new Date(AT + retention_ms);
    assert.deepEqual(occurrences, [{ kind: 'captured', attempt_id: 'att_1', amount_minor: 100_000n, available_at }]);
  }
});

test('the fee is that of the type of channel', () => {
  for (const [channel, fee_minor] of [
    ['cm.mtn', 2_000n],
    ['cm.bank', 1_500n],
    ['cm.card', 3_500n],
  ] as const) {
    const submission: Submission = { kind: 'accepted', provider_ref: null, next: REDIRECT, poll_after_ms: 1 };
    const { occurrences } = changeOfSubmission(config, 'live', payment, { ...attemptIn('created'), channel }, submission, AT);
    assert.deepEqual(occurrences, [{ kind: 'submitted', channel, fee_minor }]);
  }
});

test('the poll interval of an unknown attempt doubles from 2 s up to 5 minutes', () => {
  assert.deepEqual(
    [0, 1, 2, 6, 7, 8, 50, 5_000].map(backOff),
    [2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000, 300_000],
  );
});

function said(answer: Submission | Reading): string {
  if (answer.kind !== 'succeeded') return answer.kind;
  return `succeeded with ${answer.amount_minor} ${answer.currency} of 100000 XAF`;
}

test('"not found" allows another submission only after ten minutes, or after the time its provider takes to show one', () => {
  for (const [grace_ms, wait_ms] of GRACES) {
    const capabilities = { idempotency: 'replays', not_found_grace_ms: grace_ms } as const;
    const again = (age_ms: number) => mayBeSentAgain(capabilities, undefined, AT - age_ms, AT);
    const early = (age_ms: number) => mayNotBeShownYet(capabilities, AT - age_ms, AT);
    assert.deepEqual([again(wait_ms - 1), again(wait_ms)], [false, true]);
    assert.deepEqual([early(wait_ms - 1), early(wait_ms)], [true, false]);
  }
});

test('what was sent at an unknown time, or to a provider without idempotency, is never sent again', () => {
  const capabilities = { idempotency: 'replays', not_found_grace_ms: 0 } as const;
  assert.deepEqual([mayBeSentAgain(capabilities, undefined, null, AT), mayNotBeShownYet(capabilities, null, AT)], [false, false]);
  assert.equal(mayBeSentAgain({ ...capabilities, idempotency: 'none' }, undefined, 0, AT), false);
  assert.equal(mayBeSentAgain(capabilities, { idempotency: 'none' }, 0, AT), false, 'the operation decides');
  assert.equal(mayBeSentAgain({ ...capabilities, idempotency: 'none' }, { idempotency: 'conflicts' }, 0, AT), true);
});

test('a poll is new when it is due at another time than when the provider was asked', () => {
  const [then, now] = [new Date(AT), new Date(AT + 1)];
  assert.deepEqual(
    [isNewPoll(null, then), isNewPoll(null, null), isNewPoll(then, new Date(AT)), isNewPoll(now, then), isNewPoll(now, null)],
    [false, false, false, true, true],
  );
});
