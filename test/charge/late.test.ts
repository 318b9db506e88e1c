import { test } from 'node:test';
import { type AttemptRow, NEVER_ARRIVED } from '../../src/core/attempts/schema.ts';
import { changeOfLateReading, changeOfLateSubmission, type ClosedAttempt } from '../../src/core/charge/late.ts';
import { changeOfReading, changeOfSubmission } from '../../src/core/charge/outcomes.ts';
import type { Change } from '../../src/core/payments/change.ts';
import type { PaymentRow } from '../../src/core/payments/schema.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Reading, Submission } from '../../src/providers/adapters/contract.ts';
import { compareGolden } from '../setup/golden.ts';
import { AT, at, attemptOf, line, paymentOf } from '../payments/apply-lines.ts';

/** What each report changes, the whole of it, of open and of closed attempts: one line for each case. */
const config = readConfig({});
const PROOF = { provider_ref: 'reported', amount_minor: 60_000n, currency: 'XAF' };
const NO = { reason: 'wrong_pin', message: 'no' } as const;
const MONEY = [
  PROOF,
  { ...PROOF, amount_minor: 59_999n },
  { ...PROOF, currency: 'XOF' },
  { ...PROOF, amount_minor: 59_999n, currency: 'XOF' },
];

const SUBMISSIONS: Submission[] = [
  { kind: 'accepted', provider_ref: 'new', next: { kind: 'confirm' }, poll_after_ms: 700 },
  { kind: 'accepted', provider_ref: null, next: { kind: 'confirm' }, poll_after_ms: 700 },
  ...MONEY.map((proof) => ({ kind: 'succeeded' as const, ...proof })),
  { kind: 'refused', ...NO },
  { kind: 'unavailable', message: 'down' },
  { kind: 'duplicate' },
  { kind: 'unknown', message: 'timeout' },
];

const READINGS: Reading[] = [
  { kind: 'pending', poll_after_ms: 4_000 },
  { kind: 'pending', poll_after_ms: 99, next: { kind: 'otp' } },
  ...MONEY.map((proof) => ({ kind: 'succeeded' as const, ...proof })),
  { kind: 'failed', ...NO },
  { kind: 'cancelled', ...NO },
  { kind: 'expired' },
  { kind: 'not_found' },
  { kind: 'unreadable', message: '?' },
];

/** "Not found" proves nothing for ten minutes. */
const PLAN = { polls: { first_ms: 2_000, factor: 2, max_ms: 300_000 }, not_found_grace_ms: 600_000 };

const DAY_MS = 86_400_000;
const aside = { amount_minor: '59999', currency: 'XAF', provider_ref: 'r', at: 'c' };
const byHand = { as: 'failed', evidence: 'e', author: 'a', at: 'b' } as const;
const RESTING = { action: null, provider_ref: 'known', polls: 3, mismatches: 0, resolution: null, created_at: at(-700_000) };

/** Attempts by what is known of them. */
const OPEN: Record<string, Partial<AttemptRow>> = {
  created: { status: 'created', submitted_at: null, provider_ref: null, created_at: at(-599_999) },
  'created long ago': { status: 'created', submitted_at: null },
  open: { status: 'open', submitted_at: at(-600_000) },
  'unknown, just sent': { status: 'unknown', submitted_at: at(-599_999) },
  unknown: { status: 'unknown', submitted_at: at(-600_000) },
  'unknown, set aside': { status: 'unknown', submitted_at: at(-600_000), mismatch: aside, mismatches: 1 },
};
const never = { status: 'expired', reason: NEVER_ARRIVED, closed_at: at(-5) } as const;
const CLOSED: Record<string, Partial<AttemptRow>> = {
  'never arrived': { ...never, submitted_at: at(-600_000) },
  'never arrived, unsent': { ...never, submitted_at: null, created_at: at(-599_999) },
  'never arrived, polled': { ...never, submitted_at: at(-599_999), next_poll_at: at(-1) },
  'never arrived, polled long ago': { ...never, submitted_at: at(-600_000), next_poll_at: at(-1), closed_at: at(-8 * DAY_MS) },
  'never arrived long ago': { ...never, submitted_at: at(-600_000), closed_at: at(-8 * DAY_MS) },
  'never arrived, accepted': { ...never, submitted_at: at(-600_000), next_poll_at: at(-1), action: { kind: 'confirm' } },
  failed: { status: 'failed', submitted_at: at(-600_000), closed_at: at(-7 * DAY_MS), next_poll_at: at(-1) },
  'failed long ago': { status: 'failed', submitted_at: at(-600_000), closed_at: at(-7 * DAY_MS - 1), next_poll_at: at(-1) },
  'failed, not polled': { status: 'failed', submitted_at: at(-600_000), closed_at: null },
  'failed, accepted': {
    ...{ status: 'failed', submitted_at: at(-600_000), closed_at: at(-5), next_poll_at: at(-1) },
    action: { kind: 'confirm' },
  },
  'failed, set aside': { status: 'failed', submitted_at: at(-600_000), closed_at: at(-5), mismatch: aside, mismatches: 1 },
  'failed by hand': { status: 'failed', submitted_at: null, closed_at: at(-5), resolution: byHand, next_poll_at: at(-1) },
  'judged by hand': { status: 'failed', closed_at: at(-5), resolution: { ...byHand, mismatch: aside }, submitted_at: at(-6) },
};

const told = ({ attempt, occurrences, ...rest }: Change): string =>
  [attempt ? line(attempt) : 'unchanged', ...occurrences.map(line), ...Object.values(rest).map(String)].join('; ');

type Work = (payment: PaymentRow, attempt: AttemptRow, report: Submission | Reading, beside: AttemptRow) => Change;

/** One line for each attempt, report and outcome, with the payments of which it is the outcome. */
function lines(kinds: Record<string, Partial<AttemptRow>>, change: Work): string[] {
  return Object.entries(kinds).flatMap(([kind, known]) =>
    [...SUBMISSIONS, ...READINGS].flatMap((report, n) => {
      const attempt = attemptOf('att_2', { ...RESTING, ...known });
      const cases = CASES.map(({ name, payment, beside }) => ({ name, outcome: told(change(payment, attempt, report, beside)) }));
      const what = `${kind}, ${n < SUBMISSIONS.length ? 'answered' : 'read'} ${report.kind}`;
      return [...Map.groupBy(cases, ({ outcome }) => outcome)].map(([outcome, of]) => {
        const when = of.length === CASES.length ? 'always' : of.map(({ name }) => name).join(', ');
        return `${what} (${when}): ${outcome}`;
      });
    }),
  );
}

const CASES = (['pending', 'processing', 'partial', 'failed'] as const).flatMap((status) =>
  [0, 1].flatMap((expires) =>
    (['succeeded', 'open'] as const).map((other) => ({
      name: [status, ...(expires === 0 ? ['over'] : []), ...(other === 'open' ? ['another open'] : [])].join(' '),
      payment: paymentOf({ status, fee_minor: 1_234n, expires_at: at(expires) }),
      beside: attemptOf('att_1', { status: other }),
    })),
  ),
);

const isSubmission = (report: Submission | Reading): report is Submission => (SUBMISSIONS as unknown[]).includes(report);

test('what each report changes of an open attempt', () => {
  const found = lines(OPEN, (payment, attempt, report) =>
    isSubmission(report)
      ? changeOfSubmission(config, 'live', payment, attempt, report, AT)
      : changeOfReading(config, 'live', payment, attempt, report, PLAN, AT),
  );
  compareGolden('reports-of-open-attempts.txt', found);
});

test('what each report changes of a closed attempt', () => {
  const found = lines(CLOSED, (payment, attempt, report, beside) => {
    const closed: ClosedAttempt = { config, environment: 'live', payment, attempt, attempts: [beside, attempt], at: AT };
    return isSubmission(report) ? changeOfLateSubmission(closed, report) : changeOfLateReading(closed, report, PLAN, AT);
  });
  compareGolden('reports-of-closed-attempts.txt', found);
});
