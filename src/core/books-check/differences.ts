import type { Minor } from '../../kit/money.ts';

/** Differences between the ledger and the rows of payments, refunds, transfers and disputes, with the advice for each. */
export const ADVICE = {
  pending_items:
    'Do not let it be released: stop the workers, compare the settlement items of the payment with "pirogue ledger show", and correct the items.',
  released_items:
    'More or less became available than the payments had in pending: stop payouts of this team and compare each payment of the batch with "pirogue ledger show".',
  refund_clearing:
    'A part of a refund moved after its refund had ended, or was booked twice or not at all: ask the provider which parts were paid, then book the difference.',
  clearing:
    'The amount that moved at the provider according to our records differs from the amount booked: compare the attempts, refunds and disputes of the payment with the statement of the provider.',
  suspense:
    'Captured money in suspense has no owner in our records, or is missing: compare the attempts and reversals of the payment with "pirogue ledger show".',
  money_to_return:
    'Suspense holds money of the payment that nothing will return to the payer, or less than is owed: compare "pirogue returns list" with "pirogue ledger show".',
  disputed: 'Compare the open disputes of the payment with "pirogue ledger show", then book the difference.',
  fee_income: 'The fee booked differs from the fee of the payment: book the difference.',
  party_share:
    'The parties of the payment did not share its refunds and disputes in the proportions of the payment: book the difference between them.',
  credit_advanced:
    'The amount drawn on credit differs from the amount booked: compare the refund or dispute with "pirogue ledger show".',
  credit_not_repaid:
    'The party can withdraw money while it owes what the platform advanced: book from available to credit what it owes. Credit above zero was repaid twice: book that to available.',
  amount_refunded: 'The refunded amount of the payment differs from the sum of its refunds: correct refunded_minor of its row.',
  returned_too_much:
    'More was returned to the payer than was collected: claim it from the payer or the provider, and book the loss.',
  transfer_money:
    'The stage of the transfer does not match where its money is booked: ask the provider whether it was paid, then book the difference.',
  set_aside:
    'A break that was set aside is not booked as it states: compare "pirogue breaks list" of its run with "pirogue ledger show" of its subject.',
  unknown_subject: 'A journal moved money for something that does not exist: compare it with a backup.',
} as const;

export type BooksCheck = keyof typeof ADVICE;

/** An amount that differs between the rows and the ledger. */
export interface BooksDifference {
  check: BooksCheck;
  team_id: bigint;
  /** Currency, account and subject: `XAF pending of trx_…`. */
  what: string;
  /** The payment, transfer, batch or reconciliation run concerned. */
  subject: string;
  /** The amount according to the rows. */
  expected: string;
  /** The amount according to the ledger. */
  found: string;
}

/** Called with each difference as soon as it is found. */
export type Report = (difference: BooksDifference) => void;

/** The result of a comparison for one subject, currency and account, in hundredths. */
export interface Compared {
  subject: string;
  currency: string;
  account: string;
  expected: Minor;
  found: Minor;
}
