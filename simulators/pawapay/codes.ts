import type { EntryKind } from '../kit/book.ts';
import { type Ending, failsWith, SUCCEEDS } from '../kit/operations.ts';
import { type Outcome, outcomeOf } from '../kit/outcomes.ts';
import { markets } from './channels.ts';

/** Results in pawaPay's codes. A rejection by the payer has the same code as an expired prompt. */
const BY_OUTCOME: Record<Outcome, Ending> = {
  succeeds: SUCCEEDS,
  insufficient_funds: failsWith('INSUFFICIENT_BALANCE'),
  declined: failsWith('UNSPECIFIED_FAILURE'),
  times_out: failsWith('PAYMENT_NOT_APPROVED', 2),
  payer_refuses: failsWith('PAYMENT_NOT_APPROVED'),
  recipient_unregistered: failsWith('RECIPIENT_NOT_FOUND'),
  invalid_recipient: failsWith('WALLET_LIMIT_REACHED'),
  refund_fails: failsWith('UNSPECIFIED_FAILURE'),
};

const STUCK: Ending = { ...SUCCEEDS, after: 'stuck' };

/** Results by the last three digits of pawaPay's own test numbers. */
const MAGIC: Partial<Record<EntryKind, Record<string, Ending>>> = {
  collect: {
    '019': failsWith('PAYER_LIMIT_REACHED'),
    '029': failsWith('PAYER_NOT_FOUND'),
    '039': failsWith('PAYMENT_NOT_APPROVED'),
    '049': failsWith('INSUFFICIENT_BALANCE'),
    '048': failsWith('INSUFFICIENT_BALANCE'),
    '069': failsWith('UNSPECIFIED_FAILURE'),
    '068': failsWith('UNSPECIFIED_FAILURE'),
    '129': STUCK,
    '138': STUCK,
  },
  payout: {
    '089': failsWith('RECIPIENT_NOT_FOUND'),
    '119': failsWith('UNSPECIFIED_FAILURE'),
    '118': failsWith('UNSPECIFIED_FAILURE'),
  },
};

/** Returns the result of an operation with this number. */
export function endingOf(kind: EntryKind, msisdn: string): Ending {
  const isTestNumber = markets().some(({ stem }) => stem !== undefined && msisdn.slice(0, -3) === stem);
  const magic = isTestNumber ? MAGIC[kind]?.[msisdn.slice(-3)] : undefined;
  return magic ?? BY_OUTCOME[outcomeOf(kind, msisdn)];
}
