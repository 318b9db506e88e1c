import { account } from '../../money/ledger/accounts.ts';
import type { Journal, Posting } from '../../money/ledger/post.ts';
import { type Share, sharesOf } from '../../money/settlement/shares.ts';
import { type AvailableAt, captureAccount } from '../../money/settlement/retention.ts';
import type { AttemptRow, Mismatch } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';

/** Amount captured by one attempt. */
export interface Capture {
  attempt_id: string;
  amount_minor: bigint;
}

/** Returns the share of each party of a payment: the amount charged less the fee, whoever bears the fee. */
export function partiesOf(payment: PaymentRow): Share[] {
  const charged = payment.bearer === 'customer' ? payment.amount_minor + payment.fee_minor : payment.amount_minor;
  return sharesOf(charged - payment.fee_minor, payment.currency, payment.account_id, payment.split);
}

/**
 * Returns the journal of the capture that completes a payment. It moves this capture out of clearing and the earlier tranches
 * out of `hold` (suspense), posts the fee to us, and a connected subaccount's share to that subaccount. Without retention the
 * money is available at once.
 * @param payment as it was before this capture
 * @param available_at when the money becomes available
 */
export function successJournal(payment: PaymentRow, capture: Capture, available_at: AvailableAt): Journal {
  const bucket = captureAccount(available_at);
  const own = account(bucket, null);
  const postings: Posting[] = [
    { debit: account('hold', null), credit: own, amount_minor: payment.captured_minor },
    { debit: account('clearing', null), credit: own, amount_minor: capture.amount_minor },
    { debit: own, credit: account('fee_income', null), amount_minor: payment.fee_minor },
    ...partiesOf(payment)
      .filter((share) => share.account_id !== '')
      .map((share) => ({
        debit: own,
        credit: account(bucket, share.account_id),
        amount_minor: share.amount_minor,
      })),
  ];
  return journal(payment, 'payment.succeeded', capture, postings);
}

/** Returns the journal of a tranche that does not complete the payment: its amount waits in `hold` (suspense). */
export function trancheJournal(payment: PaymentRow, capture: Capture): Journal {
  return journal(payment, 'payment.part_captured', capture, intoHold(capture));
}

/**
 * Returns the journal of money captured for a payment that cannot take it: it stays in suspense until it is returned to the
 * payer.
 */
export function lateJournal(payment: PaymentRow, capture: Capture): Journal {
  return journal(payment, 'payment.late_success', capture, intoHold(capture));
}

/**
 * Returns the journal of evidence with an amount or currency other than requested: the reported amount goes to suspense.
 * @param attempt its count of mismatches includes this one
 */
export function mismatchJournal(payment: PaymentRow, attempt: AttemptRow, found: Capture & { currency: string }): Journal {
  return { ...journal(payment, numbered('evidence.mismatched', attempt), found, intoHold(found)), currency: found.currency };
}

/** Returns the journal that reverses a mismatch once it is resolved. The correct amount is posted by another journal. */
export function resolvedJournal(payment: PaymentRow, attempt: AttemptRow, mismatch: Mismatch): Journal {
  const capture = { attempt_id: attempt.id, amount_minor: BigInt(mismatch.amount_minor) };
  const postings = [{ debit: account('hold', null), credit: account('clearing', null), amount_minor: capture.amount_minor }];
  return { ...journal(payment, numbered('evidence.resolved', attempt), capture, postings), currency: mismatch.currency };
}

/**
 * Returns the kind of a journal. A second mismatch of the same attempt, after the first was resolved, has its own journal:
 * `evidence.mismatched:2`.
 */
function numbered(kind: string, { mismatches }: AttemptRow): string {
  return mismatches > 1 ? `${kind}:${mismatches}` : kind;
}

function intoHold({ amount_minor }: Capture): Posting[] {
  return [{ debit: account('clearing', null), credit: account('hold', null), amount_minor }];
}

function journal(payment: PaymentRow, kind: string, capture: Capture, postings: Posting[]): Journal {
  const { team_id, currency, id } = payment;
  return { team_id, kind, source_id: capture.attempt_id, subject_id: id, currency, postings };
}
