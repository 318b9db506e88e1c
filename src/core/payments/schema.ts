import { type Static, Type } from 'typebox';
import { amountQuery, dayQuery } from '../../kit/list-filters.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { nullableObject, openObject } from '../../kit/schema.ts';
import type { Split } from '../../money/settlement/shares.ts';
import { equals, replyOf, type StoredColumn, type StoredDetails, sent } from './fields.ts';
import type { PaymentStatus } from './states.ts';

/**
 * A row of payments: what the code sets, and the columns of what merchants send (fields.ts). Amounts are in hundredths
 * (bigint), times are Dates.
 */
export interface PaymentRow extends Record<StoredColumn, string | null> {
  team_id: bigint;
  id: string;
  amount_minor: bigint;
  fee_minor: bigint;
  captured_minor: bigint;
  refunded_minor: bigint;
  currency: string;
  status: PaymentStatus;
  bearer: 'merchant' | 'customer';
  channel: string | null;
  settled: boolean;
  reason: string | null;
  message: string | null;
  customer_id: string | null;
  account_id: string | null;
  payment_method: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  /** What created it: an API key, or a payment link. */
  key_id: string;
  details: StoredDetails | null;
  /** The split with `account_id` as it was when the payment was created. */
  split: Split | null;
  /** When the next tranche is to be sent. */
  continue_at: Date | null;
  /** The failed payment that this one tries again. */
  retry_of: string | null;
  /** The payment that tries this one again. */
  retried_by: string | null;
  /** Number of payments before it in its chain of retries; null for none. */
  retry_number: number | null;
  claim: Buffer | null;
  event_count: number;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  completed_at: Date | null;
}

const { amount, currency, email, phone, name, description, reference, callback, ...more } = sent;
const { theming, address, shipping, telemetry, metadata, items, bearer, ...newer } = more;

/** Body of POST /payments. Fields are in the order of the documentation. A field that is not listed there comes last. */
export const createPaymentBody = openObject({
  amount,
  currency,
  email,
  customer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  phone,
  customer: Type.Optional(openObject({ email, phone, name })),
  name,
  description,
  reference,
  callback,
  expires: Type.Optional(
    openObject({
      in: Type.Optional(Type.Integer({ minimum: 5, maximum: 43200, default: 1440, description: 'Minutes.' })),
    }),
  ),
  theming,
  address,
  shipping,
  telemetry,
  metadata,
  items,
  bearer,
  ...newer,
});

export type CreatePaymentBody = Static<typeof createPaymentBody>;

const { status, ...others } = equals;

export const listPaymentsQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255 })),
  status,
  ...dayQuery,
  ...amountQuery,
  ...others,
});

export type ListPaymentsQuery = Static<typeof listPaymentsQuery>;

/** Maximum length of a one-time code. */
export const MAX_CODE = 12;

export const chargeBody = openObject({
  channel: Type.String({ minLength: 1, maxLength: 64, description: '`<country>.<operator>`; see GET /channels.' }),
  data: Type.Optional(
    openObject({
      phone: Type.Optional(Type.String({ maxLength: 32 })),
      account_number: Type.Optional(Type.String({ maxLength: 64 })),
      otp: Type.Optional(Type.String({ maxLength: MAX_CODE })),
      country: Type.Optional(
        Type.String({ minLength: 2, maxLength: 2, description: 'ISO 3166-1 alpha-2; country of the channel.' }),
      ),
    }),
  ),
  client_ip: Type.Optional(Type.String({ maxLength: 64 })),
});

export type ChargeBody = Static<typeof chargeBody>;

// ------------------------------------------------------------------------------------------------ replies
export const createdPayment = replyOf('created');
export const listedPayment = replyOf('listed');
export const retrievedPayment = replyOf('retrieved');

/** The payer's next action, by `kind`: confirm, otp, redirect (`url`), transfer (`instructions`). */
export const action = nullableObject();
