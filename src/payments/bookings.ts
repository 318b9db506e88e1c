import { account } from '../ledger/accounts.ts';
import type { Journal, Posting } from '../ledger/post.ts';
import { type Share, sharesOf } from '../settlement/shares.ts';
import type { SettlementItem } from '../settlement/store.ts';
import type { AttemptRow, Mismatch, PaymentRow } from './schema.ts';

/** What the capture of one attempt brought. */
export interface Capture {
  attempt_id: string;
  amount_minor: bigint;
}

/** What the parties of a payment get of it: what was charged, less the fee, whoever bore it. */
export function partiesOf(payment: PaymentRow): Share[] {
  const charged = payment.bearer === 'customer' ? payment.amount_minor + payment.fee_minor : payment.amount_minor;
  return sharesOf(charged - payment.fee_minor, payment.currency, payment.account_id, payment.split);
}

/**
 * What the capture that completes a payment books: this piece out of clearing and the earlier ones out of hold, the fee
 * to us, a connected subaccount's share to it. With no retention hold the money is at once available.
 * @param payment as it was before this capture
 */
export function successJournal(payment: PaymentRow, capture: Capture, hold_ms: number): Journal {
  const bucket = hold_ms === 0 ? 'available' : 'pending';
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

/** A piece that leaves others to come waits in hold. */
export function pieceJournal(payment: PaymentRow, capture: Capture): Journal {
  return journal(payment, 'payment.part_captured', capture, intoHold(capture));
}

/** Money that came for a payment that could no longer take it: kept aside until it went back to the payer. */
export function lateJournal(payment: PaymentRow, capture: Capture): Journal {
  return journal(payment, 'payment.late_success', capture, intoHold(capture));
}

/**
 * Evidence with another amount or currency than was asked for: what it says has come waits in suspense.
 * @param attempt with this one counted among its mismatches
 */
export function mismatchJournal(payment: PaymentRow, attempt: AttemptRow, found: Capture & { currency: string }): Journal {
  return { ...journal(payment, numbered('evidence.mismatched', attempt), found, intoHold(found)), currency: found.currency };
}

/** The doubt is over: what was set aside is taken back, and what is true is booked beside it. */
export function resolvedJournal(payment: PaymentRow, attempt: AttemptRow, mismatch: Mismatch): Journal {
  const capture = { attempt_id: attempt.id, amount_minor: BigInt(mismatch.amount_minor) };
  const postings = [{ debit: account('hold', null), credit: account('clearing', null), amount_minor: capture.amount_minor }];
  return { ...journal(payment, numbered('evidence.resolved', attempt), capture, postings), currency: mismatch.currency };
}

/** A second mismatch of one attempt, after the first was resolved, is a journal of its own: `evidence.mismatched:2`. */
function numbered(kind: string, { mismatches }: AttemptRow): string {
  return mismatches > 1 ? `${kind}:${mismatches}` : kind;
}

/** The rows by which holds are released and refunds are shared. */
export function settlementItems(payment: PaymentRow, at: number, hold_ms: number): SettlementItem[] {
  const release_at = new Date(at + hold_ms);
  return partiesOf(payment).map(({ account_id, amount_minor }) => ({
    team_id: payment.team_id,
    payment_id: payment.id,
    account_id,
    currency: payment.currency,
    share_minor: amount_minor,
    amount_minor: hold_ms === 0 ? 0n : amount_minor,
    release_at,
    released_at: hold_ms === 0 ? release_at : null,
  }));
}

function intoHold({ amount_minor }: Capture): Posting[] {
  return [{ debit: account('clearing', null), credit: account('hold', null), amount_minor }];
}

function journal(payment: PaymentRow, kind: string, capture: Capture, postings: Posting[]): Journal {
  const { team_id, currency, id } = payment;
  return { team_id, kind, source_id: capture.attempt_id, subject_id: id, currency, postings };
}
