import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableArray, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { Split } from '../../money/settlement/shares.ts';
import { PAYMENT_STATUSES, type PaymentStatus } from './states.ts';

/** A row of payments. Amounts are in hundredths (bigint), times are Dates. */
export interface PaymentRow {
  team_id: bigint;
  id: string;
  reference: string | null;
  amount_minor: bigint;
  fee_minor: bigint;
  captured_minor: bigint;
  refunded_minor: bigint;
  currency: string;
  status: PaymentStatus;
  bearer: 'merchant' | 'customer';
  channel: string | null;
  description: string | null;
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
  callback: string | null;
  details: PaymentDetails | null;
  /** The split with `account_id` as it was when the payment was created. */
  split: Split | null;
  /** When the next tranche is to be sent. */
  continue_at: Date | null;
  claim: Buffer | null;
  event_count: number;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  completed_at: Date | null;
}

/** Fields that are returned as they were sent. */
export interface PaymentDetails {
  items?: Item[] | null;
  address?: JsonObject | null;
  shipping?: JsonObject | null;
  theming?: JsonObject | null;
  telemetry?: JsonObject | null;
  metadata?: JsonObject | null;
}

const freeObject = (description: string) => Type.Optional(nullableObject({ description }));

const item = openObject({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  quantity: Type.Optional(Type.Number({ minimum: 0 })),
});

export type Item = Static<typeof item>;

const email = Type.String({ format: 'email', maxLength: 255 });
const phone = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'National or international form; checked when a channel is chosen.',
});

export const createPaymentBody = openObject({
  amount: Type.Number({ minimum: 0.01, description: 'Major units: 25000 is 25,000 XAF. At most two decimals.' }),
  currency: Type.Enum(CURRENCIES, { description: 'ISO 4217.' }),
  email: Type.Optional(email),
  customer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  phone: Type.Optional(phone),
  customer: Type.Optional(
    openObject({
      email: Type.Optional(email),
      phone: Type.Optional(phone),
      name: Type.Optional(Type.String({ maxLength: 255 })),
    }),
  ),
  name: Type.Optional(Type.String({ maxLength: 255 })),
  description: Type.Optional(Type.String({ maxLength: 500 })),
  reference: Type.Optional(Type.String({ maxLength: 128, description: 'Yours; may repeat.' })),
  callback: Type.Optional(Type.String({ format: 'web-url', maxLength: 2048, description: 'Where the payer is sent back to.' })),
  expires: Type.Optional(
    openObject({
      in: Type.Optional(Type.Integer({ minimum: 5, maximum: 43200, default: 1440, description: 'Minutes.' })),
    }),
  ),
  theming: freeObject('color, logo, title, button_text, locale'),
  address: freeObject('line1, line2, city, state, postal_code, country'),
  shipping: freeObject('name, phone, method, amount, address'),
  telemetry: freeObject('plugin, platform, sdk, user_agent'),
  metadata: freeObject('Yours: at most 50 keys and 16 KB.'),
  items: Type.Optional(Type.Array(item, { maxItems: 500 })),
  bearer: Type.Optional(Type.Enum(['merchant', 'customer'], { default: 'merchant', description: 'Who bears the fee.' })),
});

export type CreatePaymentBody = Static<typeof createPaymentBody>;

export const listPaymentsQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255 })),
  status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])),
  date_from: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive.' })),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive; not before date_from.' })),
  amount_min: Type.Optional(Type.Number({ minimum: 0 })),
  amount_max: Type.Optional(Type.Number({ minimum: 0 })),
});

export type ListPaymentsQuery = Static<typeof listPaymentsQuery>;

export const chargeBody = openObject({
  channel: Type.String({ minLength: 1, maxLength: 64, description: '`<country>.<operator>`; see GET /channels.' }),
  data: Type.Optional(
    openObject({
      phone: Type.Optional(Type.String({ maxLength: 32 })),
      account_number: Type.Optional(Type.String({ maxLength: 64 })),
      otp: Type.Optional(Type.String({ maxLength: 12 })),
      country: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })),
    }),
  ),
  client_ip: Type.Optional(Type.String({ maxLength: 64 })),
});

export type ChargeBody = Static<typeof chargeBody>;

// ------------------------------------------------------------------------------------------------ replies
const text = Type.String();
const status = Type.Enum([...PAYMENT_STATUSES]);

const listedFields = {
  id: text,
  reference: nullableText(),
  amount: Type.Number(),
  currency: text,
  status,
  channel: nullableText(),
  description: nullableText(),
  sandbox: Type.Boolean(),
  created_at: moment,
};

export const listedPayment = Type.Object(listedFields);

export const createdPayment = Type.Object({
  id: text,
  reference: nullableText(),
  amount: Type.Number(),
  currency: text,
  status,
  description: nullableText(),
  sandbox: Type.Boolean(),
  created_at: moment,
});

/** Fields that a public key may read: the basic ones (docs/contract/envelope.md), because page source must not leak payers. */
const publicFields = {
  ...listedFields,
  settled: Type.Boolean(),
  reason: nullableText(),
  metadata: nullableObject(),
};

export const retrievedPayment = Type.Object({
  ...publicFields,
  amount_total: Type.Optional(Type.Number()),
  amount_captured: Type.Optional(Type.Number()),
  amount_refunded: Type.Optional(Type.Number()),
  fee: Type.Optional(Type.Number()),
  bearer: Type.Optional(text),
  message: Type.Optional(nullableText()),
  customer: Type.Optional(nullableText()),
  payment_method: Type.Optional(nullableText()),
  account: Type.Optional(nullableText()),
  callback: Type.Optional(nullableText()),
  items: Type.Optional(nullableArray()),
  address: Type.Optional(nullableObject()),
  shipping: Type.Optional(nullableObject()),
  theming: Type.Optional(nullableObject()),
  expires_at: Type.Optional(moment),
  completed_at: Type.Optional(nullableText()),
  updated_at: Type.Optional(moment),
  attempts: Type.Optional(
    Type.Array(
      Type.Object({
        id: text,
        provider: text,
        channel: text,
        status: text,
        reason: nullableText(),
        explanation: nullableText({ description: 'Why this provider was tried.' }),
        created_at: moment,
      }),
    ),
  ),
});

/** The payer's next action, by `kind`: confirm, otp, redirect (`url`), transfer (`instructions`). */
export const action = nullableObject();
