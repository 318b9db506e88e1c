import type { EntryKind } from '../kit/book.ts';
import type { Answer } from '../kit/calls.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/desk.ts';
import { type Fate, fateOf } from '../kit/fates.ts';

/** The envelope of a refusal. */
export function refusal(status: number, message: string): Answer {
  return { status, body: { status: 'error', message, data: null } };
}

export function success(message: string, data: unknown, more: object = {}): Answer {
  return { status: 200, body: { status: 'success', message, data, ...more } };
}

/** What its banks and operators say, in their free text. */
const ENDINGS: Record<Fate, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('Insufficient Funds'),
  declined: failsWith('Transaction declined by operator'),
  times_out: failsWith('Transaction timed out waiting for the customer', 2),
  payer_refuses: failsWith('Transaction cancelled by user'),
  recipient_unregistered: failsWith('DISBURSE FAILED: MSISDN is not found'),
  invalid_recipient: failsWith('DISBURSE FAILED: Invalid account'),
  refund_fails: failsWith('Refund declined by the bank'),
};

/** The references Flutterwave's own test transfers end in, and what they come to. */
const MAGIC: readonly (readonly [suffix: string, ending: Ending])[] = [
  ['_PMCK', SUCCEEDS],
  ['_PMCK_ST_F', failsWith('DISBURSE FAILED')],
  ['_PMCKDU_1', { ...SUCCEEDS, after: 4 }],
  ['_PMCK_ST_FDU_1', failsWith('DISBURSE FAILED', 4)],
];

export function endingOf(kind: EntryKind, key: string, msisdn: string): Ending {
  const magic = kind === 'payout' ? MAGIC.find(([suffix]) => key.endsWith(suffix)) : undefined;
  return magic?.[1] ?? ENDINGS[fateOf(kind, msisdn)];
}
