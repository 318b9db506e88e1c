import { notFoundGraceOf, SUBMIT_LEASE_MS } from '../../providers/adapters/polling.ts';
import type { Capabilities, Submission } from '../../providers/adapters/contract.ts';
import { must } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { type AttemptRow, isOpen, isUnderWay } from '../attempts/schema.ts';
import { markStep } from '../attempts/store.ts';
import { totalOf } from '../payments/present.ts';
import type { PaymentRow } from '../payments/schema.ts';
import { isFinal } from '../payments/states.ts';
import { lockWithAttempts } from '../payments/store.ts';
import { ChargeUnderWay, windowOver, wrongState } from './refusals.ts';

/*
 * Further steps of the payer: one-time code, card form, card authentication. Where the provider needs the code first, the step moves the
 * money. It is therefore sent under the same conditions as a charge.
 */

/** A further step whose intent is stored. */
export interface Step {
  payment: PaymentRow;
  /** As it was stored with the step. */
  attempt: AttemptRow;
  /** When the step was stored, in milliseconds since the epoch. */
  sent_at: number;
  /** Whether the results of all steps before it are known. */
  is_first: boolean;
}

/** The payment of a step and its attempts, locked. */
export type Locked = Awaited<ReturnType<typeof lockWithAttempts>>;

/** Locks what a further step depends on. */
export function lockForStep(tx: Tx, { team_id, payment_id }: AttemptRow): Promise<Locked> {
  return lockWithAttempts(tx, [{ team_id, id: payment_id }]);
}

/** Whether the step that the caller read as awaited has been answered since. */
export function isAnswered([, attempts]: Locked, known: AttemptRow): boolean {
  return !isAwaited(lockedOf(attempts, known), known);
}

function lockedOf(attempts: readonly AttemptRow[], known: AttemptRow): AttemptRow {
  return must(
    attempts.find(({ id }) => id === known.id),
    'the attempt was read before',
  );
}

function isAwaited(attempt: AttemptRow, known: AttemptRow): boolean {
  return isOpen(attempt) && attempt.action?.kind === known.action?.kind;
}

/** Whether another charge has collected so much that the amount of this one is no longer owed. It may be paid, but is not asked for. */
export function exceeds(payment: PaymentRow, { amount_minor }: Pick<AttemptRow, 'amount_minor'>): boolean {
  return payment.status === 'partial' && payment.captured_minor + amount_minor > totalOf(payment);
}

/**
 * Stores that a step is about to be sent.
 * @param known the attempt as the caller read it
 * @throws Problem 400 when the attempt or its payment has ended, when another charge has collected a part of the attempt's amount, when the
 * attempt no longer waits for this kind of step, so long after the payment window that the provider may be about to end it, and while another
 * charge of the payment is under way
 */
export async function storeStep(
  tx: Tx,
  [payments, attempts]: Locked,
  known: AttemptRow,
  capabilities: Pick<Capabilities, 'not_found_grace_ms'>,
  at: number,
): Promise<Step> {
  const payment = must(payments[0], 'an attempt has a payment');
  const attempt = lockedOf(attempts, known);
  if (!isAwaited(attempt, known) || isFinal(payment.status)) throw wrongState(payment);
  if (isTooLate(capabilities, payment.expires_at.getTime(), at)) throw windowOver();
  if (exceeds(payment, attempt)) throw wrongState(payment);
  if (attempts.some((other) => other.id !== attempt.id && isUnderWay(other))) throw new ChargeUnderWay();
  const before = attempt.unanswered_step_at?.getTime() ?? null;
  // Two steps in one millisecond get different times, so that each can be checked for a later step.
  const sent_at = Math.max(at, (before ?? 0) + 1);
  const marked = must(await markStep(tx, attempt, new Date(sent_at), new Date(at + SUBMIT_LEASE_MS)), 'the attempt is locked');
  return { payment, attempt: marked, sent_at, is_first: before === null };
}

/**
 * Whether a request must no longer be sent: by the time it arrives, "not found" may have closed its attempt.
 * @param since when the period began in which "not found" proves nothing, in milliseconds since the epoch
 */
export function isTooLate(capabilities: Pick<Capabilities, 'not_found_grace_ms'>, since: number, now: number): boolean {
  return now - since > notFoundGraceOf(capabilities) / 2;
}

/** Whether no other step can be under way: none was when this one was sent, and none was sent after it. */
export function isOnlyStep({ is_first, attempt }: Step, now: AttemptRow): boolean {
  return is_first && now.unanswered_step_at?.getTime() === attempt.unanswered_step_at?.getTime();
}

/**
 * Returns what the response to a step proves. A rejection proves nothing about another step that may be under way, unless the provider
 * repeats its first response.
 */
export function provenByStep(
  submission: Submission,
  isOnly: boolean,
  { idempotency }: Pick<Capabilities, 'idempotency'>,
): Submission {
  if (submission.kind !== 'refused' || isOnly || idempotency === 'replays') return submission;
  return { kind: 'unknown', message: submission.message };
}
