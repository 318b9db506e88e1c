import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttemptRow } from '../../src/core/attempts/schema.ts';
import { reportOfReading, reportOfStep, reportOfSubmission } from '../../src/core/charge/reports.ts';
import type { Report } from '../../src/core/payments/change.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Submission } from '../../src/providers/adapters/contract.ts';

/** When an attempt is polled next, after a response: a time that a callback has set meanwhile is kept if it is earlier. */
const NOW = Date.UTC(2030, 0, 1);
const at = (ms: number) => new Date(NOW + ms);
const PLACE = { config: readConfig({}), environment: 'live' } as const;
const payment = {
  ...{ team_id: 1n, id: 'trx_1', status: 'processing', amount_minor: 9n, fee_minor: 0n, captured_minor: 0n, currency: 'XAF' },
  ...{ expires_at: at(9_000_000) },
} as unknown as PaymentRow;
const attempt = {
  ...{
    team_id: 1n,
    id: 'att_1',
    payment_id: 'trx_1',
    channel: 'cm.mtn',
    status: 'open',
    amount_minor: 9n,
    currency: 'XAF',
    polls: 1,
  },
  ...{
    payer: 'payer',
    provider_ref: null,
    submitted_at: at(-1_000),
    created_at: at(-1_000),
    next_poll_at: at(0),
    unanswered_step_at: null,
  },
} as unknown as AttemptRow;
const capabilities = { polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 }, not_found_grace_ms: 0 };

function changedBy(report: Report, set: Date | null) {
  const now = { ...attempt, next_poll_at: set };
  return report.judge(payment, now, [now], NOW).attempt?.update;
}
const read = (due: Date | null) =>
  reportOfReading(PLACE, attempt, { kind: 'pending', poll_after_ms: 7_000 }, { capabilities, polled_at: NOW, due });

for (const [title, due, set, next] of [
  ['the time of this poll is replaced', 0, 0, 7_000],
  ['an earlier time that was set since is kept', 0, 10, 10],
  ['one that was set to before the poll was due is kept', 20, 10, 10],
  ['a later time is replaced', 0, 7_001, 7_000],
  ['without a time the next one is set', 0, null, 7_000],
  ['a callback, which was not due, keeps an earlier time', null, 10, 10],
  ['a callback replaces a later time', null, 7_001, 7_000],
] as const)
  test(`after a poll, ${title}`, () => {
    const update = changedBy(read(due === null ? null : at(due)), set === null ? null : at(set));
    assert.deepEqual(update?.next_poll_at, at(next));
  });

const TAKEN: Submission = { kind: 'accepted', provider_ref: 'ref', next: { kind: 'confirm' }, poll_after_ms: 7_000 };
const STEP = { payment, attempt, sent_at: NOW - 500, is_first: true };
const stepped = (payer?: string) => reportOfStep(PLACE, STEP, TAKEN, { idempotency: 'conflicts' }, payer);

test('after a submission, the time that it was made with is replaced, and an earlier one that was set since is kept', () => {
  for (const report of [reportOfSubmission(PLACE, attempt, TAKEN), stepped()]) {
    const plain = changedBy(report, at(0));
    assert.deepEqual(plain?.next_poll_at, at(7_000));
    assert.ok(!('payer' in plain));
    const { team_id, payment_id, attempt_id } = report;
    assert.deepEqual([team_id, payment_id, attempt_id], [1n, 'trx_1', 'att_1']);
  }
  const kept = changedBy(stepped('token'), at(10));
  assert.deepEqual([kept?.next_poll_at, kept?.payer], [at(10), 'token']);
});

test('the mark of a step is removed when it is accepted, unless another step was sent before or after it', () => {
  const sent = { ...attempt, unanswered_step_at: at(-500) };
  for (const [is_first, now, expected] of [
    [true, at(-500), null],
    [false, at(-500), undefined],
    [true, at(-400), undefined],
  ] as const) {
    const report = reportOfStep(PLACE, { ...STEP, attempt: sent, is_first }, TAKEN, { idempotency: 'conflicts' });
    const row = { ...sent, unanswered_step_at: now };
    assert.equal(report.judge(payment, row, [row], NOW).attempt?.update.unanswered_step_at, expected);
  }
});
