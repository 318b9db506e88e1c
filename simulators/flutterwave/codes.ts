import type { EntryKind } from '../kit/book.ts';
import type { Answer } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';

/** Returns an error in Flutterwave's envelope. */
export function rejection(status: number, message: string): Answer {
  return { status, body: { status: 'error', message, data: null } };
}

/** Returns a successful response in Flutterwave's envelope. */
export function success(message: string, data: unknown, more: object = {}): Answer {
  return { status: 200, body: { status: 'success', message, data, ...more } };
}

/** Results in the free text of banks and operators. */
const ENDINGS: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('Insufficient Funds'),
  declined: failsWith('Transaction declined by operator'),
  times_out: failsWith('Transaction timed out waiting for the customer', 2),
  payer_refuses: failsWith('Transaction cancelled by user'),
  recipient_unregistered: failsWith('DISBURSE FAILED: MSISDN is not found'),
  invalid_recipient: failsWith('DISBURSE FAILED: Invalid account'),
  refund_fails: failsWith('Refund declined by the bank'),
};

/** Suffixes of Flutterwave's own test transfer references, with their results. */
const MAGIC: readonly (readonly [suffix: string, ending: Ending])[] = [
  ['_PMCK', SUCCEEDS],
  ['_PMCK_ST_F', failsWith('DISBURSE FAILED')],
  ['_PMCKDU_1', { ...SUCCEEDS, after: 4 }],
  ['_PMCK_ST_FDU_1', failsWith('DISBURSE FAILED', 4)],
];

/** Returns the result of an operation, by its key or its number. */
export function endingOf(kind: EntryKind, key: string, msisdn: string): Ending {
  const magic = kind === 'payout' ? MAGIC.find(([suffix]) => key.endsWith(suffix)) : undefined;
  return magic?.[1] ?? ENDINGS[outcomeOf(kind, msisdn)];
}
