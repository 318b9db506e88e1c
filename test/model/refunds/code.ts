import { applyRefund, markSent } from '../../../src/core/refunds/apply.ts';
import { currentPart } from '../../../src/core/refunds/parts.ts';
import type { RefundRow } from '../../../src/core/refunds/schema.ts';
import type { RefundOutcome } from '../../../src/providers/adapters/contract.ts';
import { stubbed, type Written } from '../stub.ts';
import { type Known, type Outcome, type Part, type Payment, type Refund, sum } from './world.ts';

/*
 * Runs the program's own functions for a refund of the model, with a transaction that returns the rows of that state and stores
 * nothing, and translates the result back.
 */

const UNIT = 10_000n;
const NOW = Date.UTC(2026, 10, 22);
const CONTEXT = { environment: 'live', at: NOW, listeners: [] } as const;
const PLAN = { first_ms: 1_000, factor: 2, max_ms: 60_000 };

const OUTCOMES: Record<Outcome, RefundOutcome> = {
  pending: { kind: 'pending', provider_ref: 'ref', poll_after_ms: 1_000 },
  paid: { kind: 'succeeded', provider_ref: 'ref' },
  refused: { kind: 'failed', reason: 'provider_error', message: 'refused' },
  unavailable: { kind: 'unavailable', message: 'not sent' },
  unfunded: { kind: 'unfunded', message: 'no float' },
  absent: { kind: 'not_found' },
  unknown: { kind: 'unknown', message: 'no response' },
};

/** Returns what the program makes of the outcome of a call about part `p` of refund `r`. */
export async function codeAfterOutcome(payment: Payment, r: number, p: number, known: Known, outcome: Outcome): Promise<Payment> {
  const refund = payment.refunds[r] as Refund;
  const now = { ...rowOf(refund), polls: known.overtaken ? 1 : 0 };
  const { tx, written } = stubOf(payment, refund, now);
  const then = withLeg(rowOf(refund), p, { provider_key: keyOf(known.key), sent_at: sentAt(known.sending) });
  const result = await applyRefund(tx, CONTEXT, then, p, OUTCOMES[outcome], PLAN);
  return withResult(payment, r, result, written);
}

/** Returns what the program makes of a part that is about to be sent, or null when it may not be sent. */
export async function codeMarked(payment: Payment, r: number, p: number): Promise<Refund | null> {
  const refund = payment.refunds[r] as Refund;
  const row = rowOf(refund);
  const { tx, written } = stubOf(payment, refund, row);
  const result = await markSent(tx, CONTEXT, row, p, nextKey);
  return result && (withResult(payment, r, result, written).refunds[r] as Refund);
}

export function codeCurrentPart(refund: Refund): number | null {
  return currentPart(rowOf(refund));
}

function stubOf(payment: Payment, refund: Refund, row: RefundRow) {
  const captured_minor = BigInt(sum(payment.tranches)) * UNIT;
  const paid = {
    ...{ team_id: 1n, id: 'trx_model', status: payment.status, amount_minor: captured_minor, captured_minor, fee_minor: 0n },
    ...{ refunded_minor: BigInt(payment.refunded) * UNIT, currency: 'XAF', bearer: 'merchant', event_count: 1, settled: true },
    ...{ split: null, account_id: null, customer_id: null, details: null, continue_at: null, completed_at: new Date(NOW) },
    ...{ created_at: new Date(NOW), updated_at: new Date(NOW), expires_at: new Date(NOW) },
  };
  const item = { team_id: 1n, account_id: '', share_minor: captured_minor, amount_minor: 0n, released_at: new Date(NOW) };
  const booked = refund.returns > 0 ? ['refund.returned'] : [];
  // The payment is written as JSON: what the program made of it is read from there.
  const { tx, written } = stubbed({ payments: [paid], refunds: [row], settlement_items: [item] }, booked);
  const payments: { status: string; refunded_minor: string }[] = [];
  const run: typeof tx.run = async (statement) => {
    if (/update payments/.test(statement.text)) payments.push(...JSON.parse(String(statement.values[0])));
    return tx.run(statement);
  };
  return { tx: { ...tx, run }, written: { ...written, payments } };
}

function rowOf(refund: Refund): RefundRow {
  const amount_minor = BigInt(sum(refund.parts.map(({ units }) => units))) * UNIT;
  const row = {
    ...{ team_id: 1n, id: 'rfd_model', payment_id: 'trx_model', kind: 'merchant', attempt_id: null, return_id: null },
    ...{ way: 'refund', amount_minor, currency: 'XAF', status: refund.status, reason: 'duplicate', failure_reason: null },
    ...{ message: null, metadata: null, resolution: null, event_count: 1, polls: 0, submitted_at: null, completed_at: null },
    legs: refund.parts.map((part) => ({
      ...{ attempt_id: `att_${part.tranche}`, amount_minor: BigInt(part.units) * UNIT, status: part.status },
      ...{
        provider_key: keyOf(part.key),
        spent_key: part.spent ? keyOf(part.key) : undefined,
        provider_ref: null,
        sent_at: sentAt(part.sending),
      },
    })),
    draws: refund.drawn ? [{ account_id: '', bucket: 'available', amount_minor }] : null,
    next_poll_at: refund.due ? new Date(NOW) : null,
    ...{ created_at: new Date(NOW), updated_at: new Date(NOW) },
  };
  return row as unknown as RefundRow;
}

function withResult(
  payment: Payment,
  r: number,
  row: RefundRow,
  { journals, events, payments }: Written & { payments: { status: string; refunded_minor: string }[] },
): Payment {
  const before = payment.refunds[r] as Refund;
  const units = (kind: RegExp) => journals.filter((journal) => kind.test(journal.kind));
  const total = (list: Written['journals']) => Number(list.reduce((all, { amount_minor }) => all + amount_minor, 0n) / UNIT);
  const returned = units(/^refund\.returned$/);
  const refund: Refund = {
    ...before,
    status: row.status,
    parts: row.legs.map((leg, i) => partOf(leg, before.parts[i] as Part)),
    returned: before.returned + total(returned) - total(units(/^refund\.drawn_late/)),
    returns: before.returns + returned.length,
    ends: before.ends + events.filter((type) => /^refund\.(succeeded|failed)$/.test(type)).length,
    due: row.next_poll_at !== null,
  };
  const [changed] = payments;
  const booked = total(units(/^refund\.leg/));
  if (
    booked !==
    sum(refund.parts.map(({ units: own, status }, i) => (status === before.parts[i]?.status ? 0 : paidBy(status, own))))
  )
    throw new Error(`the journals move ${booked} units to the payer`);
  return {
    ...payment,
    status: changed?.status ?? payment.status,
    refunded: changed ? Number(BigInt(changed.refunded_minor) / UNIT) : payment.refunded,
    refunds: payment.refunds.map((old, i) => (i === r ? refund : old)),
  };
}

function paidBy(status: Part['status'], units: number): number {
  return status === 'succeeded' ? units : 0;
}

function partOf(leg: RefundRow['legs'][number], before: Part): Part {
  const key = Number(leg.provider_key.split(' ')[1]);
  // A mark stores the present time, which no earlier sending has.
  const sending = leg.sent_at === new Date(NOW).toISOString() ? before.sending + 1 : before.sending;
  const held = key === before.key ? before.held : [...before.held, 'absent' as const];
  return { ...before, status: leg.status, key, spent: leg.spent_key === leg.provider_key, sending, held };
}

function withLeg(row: RefundRow, index: number, change: Partial<RefundRow['legs'][number]>): RefundRow {
  return { ...row, legs: row.legs.map((leg, i) => (i === index ? { ...leg, ...change } : leg)) };
}

function keyOf(key: number): string {
  return `key ${key}`;
}

function nextKey(key: string): string {
  return keyOf(Number(key.split(' ')[1]) + 1);
}

function sentAt(sending: number): string | null {
  return sending === 0 ? null : new Date(NOW - 1_000_000 + sending).toISOString();
}
