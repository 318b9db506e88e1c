import { type AttemptRow, type AttemptStatus, NEVER_ARRIVED } from '../../../src/core/attempts/schema.ts';
import { reportOfReading, reportOfSubmission } from '../../../src/core/charge/reports.ts';
import { resolveAttempt } from '../../../src/core/charge/resolve.ts';
import { apply } from '../../../src/core/payments/apply.ts';
import type { Report } from '../../../src/core/payments/change.ts';
import type { Db } from '../../../src/kit/sql.ts';
import { Problem } from '../../../src/kit/errors.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import type { Actor } from '../../../src/tenants/audit/actor.ts';
import type { Store } from '../../../src/platform/db/stores.ts';
import type { Reading, Submission } from '../../../src/providers/adapters/contract.ts';
import { stubbed } from '../stub.ts';

/*
 * What the program makes of each trigger of an attempt, in each of its statuses. The payment waits for the attempt, which is its
 * only one, so that the status of the attempt alone decides.
 */

const AMOUNT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const GRACE_MS = 600_000;
const config = readConfig({});
const PLACE = { config, environment: 'live' } as const;
const PAID = { kind: 'succeeded', provider_ref: 'ref', amount_minor: AMOUNT, currency: 'XAF' } as const;
const REFUSED = { reason: 'insufficient_funds', message: 'no money' } as const;

const OPERATOR: Actor = { kind: 'operator', id: 'operator', request_id: null, address: null };

type Resolved = 'succeeded' | 'failed';

interface Reports {
  submissions?: Submission[];
  readings?: Reading[];
  /** The poll was made beyond the grace period. */
  late?: true;
  /** The attempt was closed because it apparently never arrived. */
  never?: true;
  resolved?: Resolved;
}

/** The reports that are a trigger of the table: each must have the same effect. */
export const REPORTS: Record<string, Reports> = {
  accepted: { submissions: [{ kind: 'accepted', provider_ref: 'ref', next: { kind: 'confirm' }, poll_after_ms: 1_000 }] },
  unclear: { submissions: [{ kind: 'unknown', message: 'no response' }, { kind: 'duplicate' }] },
  unavailable: { submissions: [{ kind: 'unavailable', message: 'not sent' }] },
  pending: { readings: [{ kind: 'pending', poll_after_ms: 1_000 }] },
  absent: { readings: [{ kind: 'not_found' }, { kind: 'unreadable', message: 'no JSON' }] },
  absent_for_long: { readings: [{ kind: 'not_found' }], late: true },
  captured: { submissions: [PAID], readings: [PAID] },
  declined: { submissions: [{ kind: 'refused', ...REFUSED }], readings: [{ kind: 'failed', ...REFUSED }] },
  payer_cancelled: { readings: [{ kind: 'cancelled', reason: 'payer_declined', message: 'no' }] },
  timed_out: { readings: [{ kind: 'expired' }] },
  other_amount: { submissions: [{ ...PAID, amount_minor: 1n }], readings: [{ ...PAID, amount_minor: 1n }] },
  found: {
    submissions: [{ kind: 'accepted', provider_ref: 'ref', next: { kind: 'confirm' }, poll_after_ms: 1_000 }],
    readings: [{ kind: 'pending', poll_after_ms: 1_000 }],
    never: true,
  },
  perhaps_found: { submissions: [{ kind: 'unknown', message: 'no response' }, { kind: 'duplicate' }], never: true },
  resolved_succeeded: { resolved: 'succeeded' },
  resolved_failed: { resolved: 'failed' },
};

/** Returns the status after a trigger. The triggers that are about attempts closed as never arrived leave all others as they are. */
export async function codeStatusAfter(status: AttemptStatus, trigger: string): Promise<AttemptStatus> {
  const { submissions = [], readings = [], late, never, resolved } = REPORTS[trigger] as Reports;
  if (never && status !== 'expired') return status;
  const attempt = attemptRow(status, never ? NEVER_ARRIVED : 'authorization_timeout');
  const look = {
    capabilities: { polls: { first_ms: 1_000, factor: 2, max_ms: 60_000 }, not_found_grace_ms: GRACE_MS },
    polled_at: late ? NOW : NOW - GRACE_MS,
    due: null,
  };
  const results = await Promise.all([
    ...submissions.map((submission) => reported(attempt, reportOfSubmission(PLACE, attempt, submission))),
    ...readings.map((reading) => reported(attempt, reportOfReading(PLACE, attempt, reading, look))),
    ...(resolved ? [resolvedAs(attempt, resolved)] : []),
  ]);
  const [first, ...others] = new Set(results);
  if (first === undefined || others.length > 0) throw new Error(`the reports of ${trigger} disagree: ${results.join(', ')}`);
  return first;
}

async function reported(attempt: AttemptRow, report: Report): Promise<AttemptStatus> {
  const { tx } = stubbed({ payments: [paymentRow()], attempts: [attempt] });
  const applied = await apply(tx, { environment: 'live', at: NOW, listeners: [] }, [report]);
  return statusIn(applied.get(attempt.payment_id)?.attempts);
}

async function resolvedAs(attempt: AttemptRow, as: Resolved): Promise<AttemptStatus> {
  const { tx } = stubbed({ payments: [paymentRow()], attempts: [attempt] });
  const db = { ...tx, transaction: <T>(work: (inner: typeof tx) => Promise<T>) => work(tx) } as unknown as Db;
  const store = { environment: 'live', db } as Store;
  const deps = { clock: { now: () => NOW }, config, listeners: [] };
  const resolution = { as, evidence: 'a statement', author: 'operator' };
  try {
    const applied = await resolveAttempt(deps, store, { team_id: 1n, id: attempt.id }, resolution, OPERATOR);
    return statusIn(applied.attempts);
  } catch (error) {
    if (error instanceof Problem) return attempt.status;
    throw error;
  }
}

function statusIn(attempts: AttemptRow[] | undefined): AttemptStatus {
  const [attempt] = attempts ?? [];
  if (!attempt) throw new Error('apply returned no attempt');
  return attempt.status;
}

function paymentRow() {
  return {
    ...{ team_id: 1n, id: 'trx_model', status: 'partial', amount_minor: 2n * AMOUNT, fee_minor: 0n, captured_minor: AMOUNT },
    ...{ refunded_minor: 0n, currency: 'XAF', bearer: 'merchant', key_id: 'key', event_count: 1, settled: false, split: null },
    ...{ account_id: null, customer_id: null, details: null, continue_at: null, completed_at: null },
    ...{ created_at: new Date(NOW), updated_at: new Date(NOW), expires_at: new Date(NOW + 1_000_000) },
  };
}

function attemptRow(status: AttemptStatus, reason: string): AttemptRow {
  const closed = !['created', 'open', 'unknown'].includes(status);
  const row = {
    ...{ team_id: 1n, id: 'att_0', payment_id: 'trx_model', provider: 'model', provider_account: 'pa', channel: 'cm.mtn' },
    ...{ status, amount_minor: AMOUNT, currency: 'XAF', payer: '+237650000000', provider_key: 'key 0', provider_ref: null },
    ...{ mismatch: null, mismatches: 0, resolution: null, action: null, message: null, polls: 0, counted_day: null },
    ...{ method_id: null, reason: closed ? reason : null, must_return: false, next_poll_at: closed ? null : new Date(NOW) },
    ...{
      created_at: new Date(NOW - GRACE_MS),
      submitted_at: new Date(NOW - GRACE_MS),
      closed_at: null,
      unanswered_step_at: null,
    },
  };
  return row as unknown as AttemptRow;
}
