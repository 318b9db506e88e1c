import type { AttemptRow } from '../../../src/core/attempts/schema.ts';
import { reportOfReading, reportOfSubmission } from '../../../src/core/charge/reports.ts';
import { resolveAttempt } from '../../../src/core/charge/resolve.ts';
import { apply } from '../../../src/core/payments/apply.ts';
import type { Applied, Report } from '../../../src/core/payments/change.ts';
import type { PaymentRow } from '../../../src/core/payments/schema.ts';
import { NEVER_ARRIVED } from '../../../src/core/attempts/schema.ts';
import { Problem } from '../../../src/kit/errors.ts';
import type { Db, Sql, Tx } from '../../../src/kit/sql.ts';
import type { Store } from '../../../src/platform/db/stores.ts';
import type { Actor } from '../../../src/tenants/audit/actor.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import type { Reading as WireReading, Submission } from '../../../src/providers/adapters/contract.ts';
import type { Attempt, Payment, Reading, Response } from './world.ts';

/*
 * Runs the program's own `apply` for a state of the model, with a transaction that returns the rows of that state and stores
 * nothing, and translates the result back.
 */

const UNIT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const GRACE_MS = 600_000;
/** Another amount than the requested one. */
const OTHER = { provider_ref: 'ref', amount_minor: 1n, currency: 'XAF' } as const;
const MISMATCH = { ...OTHER, amount_minor: '1', at: new Date(NOW).toISOString() };
const BY = { evidence: 'a statement', author: 'operator', at: new Date(NOW).toISOString() };
const OPERATOR: Actor = { kind: 'operator', id: 'operator', request_id: null, address: null };
const config = readConfig({});
const place = { config, environment: 'live' } as const;

const SUBMISSIONS: Record<Response, Submission> = {
  accepted: { kind: 'accepted', provider_ref: 'ref', next: { kind: 'confirm' }, poll_after_ms: 1_000 },
  paid: { kind: 'succeeded', provider_ref: 'ref', amount_minor: UNIT, currency: 'XAF' },
  other: { kind: 'succeeded', ...OTHER },
  refused: { kind: 'refused', reason: 'insufficient_funds', message: 'no money' },
  unavailable: { kind: 'unavailable', message: 'not sent' },
  lost: { kind: 'unknown', message: 'no response' },
};

const READINGS: Record<Reading, WireReading> = {
  pending: { kind: 'pending', poll_after_ms: 1_000 },
  paid: { kind: 'succeeded', provider_ref: 'ref', amount_minor: UNIT, currency: 'XAF' },
  other: { kind: 'succeeded', ...OTHER },
  refused: { kind: 'failed', reason: 'insufficient_funds', message: 'no money' },
  cancelled: { kind: 'cancelled', reason: 'payer_declined', message: 'no' },
  lapsed: { kind: 'expired' },
  absent: { kind: 'not_found' },
  absent_long: { kind: 'not_found' },
};

/** Returns what the program makes of the response to a submission. */
export function codeAfterResponse(payment: Payment, index: number, response: Response): Promise<Payment> {
  return applied(payment, (attempts) => reportOfSubmission(place, attempts[index] as AttemptRow, SUBMISSIONS[response]));
}

/** Returns what the program makes of a poll. */
export function codeAfterReading(payment: Payment, index: number, reading: Reading): Promise<Payment> {
  const look = {
    capabilities: { polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 }, not_found_grace_ms: GRACE_MS },
    polled_at: reading === 'absent' ? NOW - GRACE_MS : NOW,
    due: null,
  };
  return applied(payment, (attempts) => reportOfReading(place, attempts[index] as AttemptRow, READINGS[reading], look));
}

/** Returns what the program makes of a person's resolution; null: it is rejected. */
export async function codeAfterResolution(payment: Payment, index: number, as: 'succeeded' | 'failed'): Promise<Payment | null> {
  const { tx, attempts, owed } = standingOf(payment, index);
  const db = { ...tx, transaction: <T>(work: (inner: Tx) => Promise<T>) => work(tx) } as unknown as Db;
  const deps = { clock: { now: () => NOW }, config, listeners: [] };
  const attempt = attempts[index] as AttemptRow;
  try {
    const resolution = { as, evidence: BY.evidence, author: BY.author };
    return stateOf(
      payment,
      await resolveAttempt(deps, { environment: 'live', db } as Store, attempt, resolution, OPERATOR),
      owed,
    );
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

async function applied(payment: Payment, reportOn: (attempts: AttemptRow[]) => Report): Promise<Payment> {
  const { tx, attempts, owed } = standingOf(payment);
  const context = { environment: 'live', at: NOW, listeners: [] } as const;
  const result = (await apply(tx, context, [reportOn(attempts)])).get('trx_model');
  if (!result) throw new Error('apply returned nothing');
  return stateOf(payment, result, owed);
}

/** Rows of a payment as a transaction finds them, and the attempts whose money is owed by then. @param asked the attempt that is asked for alone */
function standingOf(payment: Payment, asked = 0): { tx: Tx; attempts: AttemptRow[]; owed: Set<string> } {
  const attempts = payment.attempts.map(attemptRow);
  const owed = new Set(attempts.filter(({ must_return }) => must_return).map(({ id }) => id));
  return { tx: stubOf(paymentRow(payment), attempts, asked, (row) => owed.add(row.id)), attempts, owed };
}

function stateOf(before: Payment, { payment, attempts }: Applied, owed: Set<string>): Payment {
  const { status, captured_minor } = payment;
  const unpaid = ['failed', 'cancelled', 'expired'].includes(status);
  const after = attempts.map((row, i) => attemptOf(row, owed.has(row.id), before.attempts[i] as Attempt));
  return { ...before, status, kept: unpaid ? 0 : Number(captured_minor / UNIT), attempts: after };
}

function paymentRow({ status, total, kept, over }: Payment): PaymentRow {
  const row = {
    ...{ team_id: 1n, id: 'trx_model', status, amount_minor: BigInt(total) * UNIT, fee_minor: 0n, refunded_minor: 0n },
    ...{
      captured_minor: BigInt(kept) * UNIT,
      currency: 'XAF',
      bearer: 'merchant',
      key_id: 'key',
      event_count: 1,
      settled: false,
    },
    ...{ split: null, account_id: null, customer_id: null, details: null, continue_at: null },
    ...{ created_at: new Date(NOW), updated_at: new Date(NOW), expires_at: new Date(over ? NOW - 1 : NOW + 1_000_000) },
    completed_at: null,
  };
  return row as unknown as PaymentRow;
}

function attemptRow({ status, marked, watched, owed, lapsed, aside, resolved, known }: Attempt, i: number): AttemptRow {
  const polled = watched || ['created', 'open', 'unknown'].includes(status);
  const row = {
    ...{ team_id: 1n, id: `att_${i}`, payment_id: 'trx_model', provider: 'model', provider_account: 'pa', channel: 'cm.mtn' },
    ...{ status, amount_minor: UNIT, currency: 'XAF', payer: '+237650000000', provider_key: `key ${i}`, provider_ref: null },
    ...{
      mismatch: aside ? MISMATCH : null,
      mismatches: aside || known ? 1 : 0,
      resolution: resolved && { ...BY, as: resolved, ...(known && { mismatch: MISMATCH }) },
      action: null,
      message: null,
      polls: 0,
      counted_day: null,
      method_id: null,
    },
    ...{ reason: status === 'expired' ? (lapsed ? 'authorization_timeout' : NEVER_ARRIVED) : null },
    // Later than now: what is due is read although a person ends it (test/attempts/unread.flow.test.ts), and the model has no times.
    ...{ must_return: owed, next_poll_at: polled ? new Date(NOW + 1) : null },
    ...{ created_at: new Date(NOW - GRACE_MS), submitted_at: marked ? new Date(NOW - GRACE_MS) : null, closed_at: null },
    ...{ unanswered_step_at: null },
  };
  return row as unknown as AttemptRow;
}

function attemptOf(row: AttemptRow, owed: boolean, { held, told }: Attempt): Attempt {
  const { status, submitted_at, next_poll_at, mismatch, resolution, reason } = row;
  const watched = next_poll_at !== null && !['created', 'open', 'unknown'].includes(status);
  const lapsed = status === 'expired' && reason !== NEVER_ARRIVED;
  const person = { aside: mismatch !== null, resolved: resolution?.as ?? null, known: resolution?.mismatch !== undefined };
  return { status: status as Attempt['status'], marked: submitted_at !== null, watched, owed, held, told, lapsed, ...person };
}

/** A transaction in which the payment and its attempts can be locked, one of them read, and every write succeeds. */
function stubOf(payment: PaymentRow, attempts: AttemptRow[], asked: number, owed: (row: { id: string }) => void): Tx {
  return {
    inTransaction: true,
    all: async <Row>({ text }: Sql) => {
      if (/from payments\b/.test(text)) return [payment] as Row[];
      if (/from attempts\b/.test(text)) return attempts as Row[];
      return [];
    },
    maybe: async <Row>({ text }: Sql) => (/from attempts\b/.test(text) ? (attempts[asked] as Row) : undefined),
    run: async ({ text, values }: Sql) => {
      if (/update attempts a set status/.test(text)) {
        const rows = JSON.parse(String(values[0])) as { id: string; must_return: boolean }[];
        for (const row of rows) if (row.must_return) owed(row);
      }
      return 1;
    },
  };
}
