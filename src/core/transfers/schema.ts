import { type Static, Type } from 'typebox';
import { payee } from '../beneficiaries/schema.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { Resolution } from '../attempts/schema.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { amountQuery, dayQuery } from '../../kit/list-filters.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import { TRANSFER_STATUSES, type TransferStatus } from './states.ts';

/** The recipient, as it was when the transfer was created. */
export interface Recipient {
  name: string | null;
  /** E.164. */
  phone: string | null;
  account_number: string | null;
  bank_code: string | null;
  country: string;
  email: string | null;
}

/** The providers that are tried and the reason for the choice; stored to explain the choice later. */
export interface Decision {
  /** The explanation of the choice by routing. */
  explanation: object;
  /** Provider accounts, in the order in which they are tried. */
  candidates: string[];
  /** Accounts that provably have not taken the transfer. */
  tried: string[];
  /** Accounts to which it was submitted before the present one, whose callbacks may be about it. Absent: none. */
  asked?: string[] | undefined;
  /** Whether it was submitted a second time, with the same key, because the provider reported that it was not found. */
  resent: boolean;
  /** Whether it counts as sent only because the account that had turned it away has called back about it. */
  recalled?: true | undefined;
  /** Number of provider keys that ended with the outcome `unfunded`: the next submission needs a new key. Absent: none. */
  spent?: number | undefined;
  /** The provider's last message while the outcome is open. */
  note: string | null;
}

/** Reasons for a failed transfer that the API contract names. */
export const TRANSFER_REASONS = ['insufficient_balance', 'invalid_recipient', 'recipient_unregistered'] as const;

export type TransferReason = (typeof TRANSFER_REASONS)[number];

/** A row of transfers. Amounts are in hundredths (bigint). */
export interface TransferRow {
  team_id: bigint;
  id: string;
  reference: string | null;
  amount_minor: bigint;
  fee_minor: bigint;
  currency: string;
  status: TransferStatus;
  reason: TransferReason | null;
  message: string | null;
  description: string | null;
  beneficiary_id: string | null;
  /** The connected subaccount from whose balance it is paid; null: the team's. */
  account_id: string | null;
  recipient: Recipient;
  channel: string;
  metadata: JsonObject | null;
  /** The team's provider account that has the transfer, or had it last. */
  provider_account: string | null;
  provider_key: string;
  provider_ref: string | null;
  decision: Decision | null;
  /** The manual resolution of an unknown outcome. */
  resolution: Resolution | null;
  /** reserved: never submitted, all its money is in `reserved`. dispatched: its amount is in `in.transit`. closed: final. */
  stage: 'reserved' | 'dispatched' | 'closed';
  /** UTC day on which it counts towards the team's transaction limits; null: it does not count. */
  counted_day: string | null;
  event_count: number;
  polls: number;
  next_poll_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** Time of the current submission; null while provably no provider has the transfer. */
  dispatched_at: Date | null;
  completed_at: Date | null;
  /**
   * When its provider reported that it had reached the recipient although it had failed or was cancelled: its amount was drawn again. Null
   * when only a statement shows it: then `pirogue breaks settle` posts the money ({@link TransferStanding}).
   */
  paid_late_at: Date | null;
}

/** The outcome of a transfer. `paid_late_at`: when its provider or a statement showed that it was paid after it had ended without money. */
export type TransferStanding = Pick<TransferRow, 'id' | 'status' | 'paid_late_at'>;

// ------------------------------------------------------------------------------------------------ bodies
const { name, channel, phone, account_number, email, country, bank_code } = payee;

const inlineBeneficiary = openObject({
  name,
  channel: Type.Optional(channel),
  phone: Type.Optional(phone),
  account_number: Type.Optional(account_number),
  email: Type.Optional(email),
  country: Type.Optional(country),
  bank_code: Type.Optional(bank_code),
});

export type InlineBeneficiary = Static<typeof inlineBeneficiary>;

/** Declared as a list of types, so that an error inside the object is reported with its own path. */
const beneficiary = Type.Unsafe<string | InlineBeneficiary>({
  ...inlineBeneficiary,
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 64,
  description: 'Id of a beneficiary, or the recipient as an object.',
});

export const createTransferBody = openObject({
  amount: Type.Number({ minimum: 0.01, description: 'Major units; whole for currencies without decimals.' }),
  currency: Type.Enum(CURRENCIES, { description: 'ISO 4217; one of the channel.' }),
  beneficiary: Type.Optional(beneficiary),
  recipient: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Instead of `beneficiary`: its id, or with `channel` a phone or account number.',
    }),
  ),
  channel: Type.Optional(channel),
  description: Type.Optional(nullableText({ maxLength: 500 })),
  reference: Type.Optional(nullableText({ maxLength: 128, description: 'Your reference; need not be unique.' })),
  metadata: Type.Optional(nullableObject({ description: 'Your data: at most 50 keys and 16 KB.' })),
});

export type CreateTransferBody = Static<typeof createTransferBody>;

export const listTransfersQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255, description: 'Searches id, reference, description and the recipient.' })),
  status: Type.Optional(Type.Enum([...TRANSFER_STATUSES])),
  beneficiary: Type.Optional(Type.String({ maxLength: 64 })),
  channel: Type.Optional(Type.String({ maxLength: 64 })),
  ...dayQuery,
  ...amountQuery,
});

export type ListTransfersQuery = Static<typeof listTransfersQuery>;

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();

export const transferReply = Type.Object({
  id: text,
  reference: nullableText(),
  amount: Type.Number(),
  currency: text,
  fee: Type.Number(),
  amount_total: Type.Number({ description: 'The sum of amount and fee: what the transfer costs if it succeeds.' }),
  status: Type.Enum([...TRANSFER_STATUSES]),
  reason: Type.Unsafe<TransferReason | null>({
    type: ['string', 'null'],
    enum: [...TRANSFER_REASONS, null],
    description: 'Reason of the failure; branch on it.',
  }),
  message: nullableText({ description: "The provider's message; not stable." }),
  beneficiary: nullableText({ description: 'Null when the recipient was given in the transfer.' }),
  channel: text,
  account: nullableText({ description: 'The subaccount from whose balance it is paid; null: your own.' }),
  description: nullableText(),
  metadata: nullableObject(),
  sandbox: Type.Boolean(),
  created_at: moment,
  updated_at: moment,
  completed_at: nullableText(),
});
