import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import { LANGUAGES } from '../pages/language.ts';
import { INVOICE_STATUSES, type InvoiceStatus } from './states.ts';

/**
 * An invoice item as stored in JSON. Amounts are strings of whole hundredths, because a JSON number cannot represent every
 * bigint.
 */
export interface StoredItem {
  name: string;
  description: string | null;
  quantity: number;
  unit_price_minor: string;
  amount_minor: string;
}

/** A row of `invoices`: amounts in hundredths as bigint, times as Date. */
export interface InvoiceRow {
  team_id: bigint;
  id: string;
  number: string | null;
  status: InvoiceStatus;
  currency: string;
  amount_minor: bigint;
  paid_minor: bigint;
  refunded_minor: bigint;
  allow_partial: boolean;
  least_minor: bigint | null;
  items: StoredItem[];
  customer_id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  /** A UTC day, YYYY-MM-DD. */
  due_date: string | null;
  notes: string | null;
  reference: string | null;
  /** Language of the mail, of those that the pages had when it was set; null: chosen by the country. */
  locale: string | null;
  metadata: JsonObject | null;
  url: string | null;
  payment_id: string | null;
  overdue_at: Date | null;
  sent_at: Date | null;
  /** When the last mail was queued. */
  mailed_at: Date | null;
  viewed_at: Date | null;
  paid_at: Date | null;
  cancelled_at: Date | null;
  event_count: number;
  key_id: string;
  request_id: string;
  created_at: Date;
  updated_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
const itemBody = openObject({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: Type.Optional(nullableText({ maxLength: 1000 })),
  quantity: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000, default: 1, description: 'At most three decimals.' }),
  ),
  unit_price: Type.Number({ minimum: 0, description: 'Major units, at most two decimals.' }),
});

export type ItemBody = Static<typeof itemBody>;

const items = Type.Array(itemBody, {
  minItems: 1,
  maxItems: 100,
  description: 'Lines; each is rounded half-up to the decimals of the currency.',
});
const currency = Type.Enum(CURRENCIES, { description: 'ISO 4217.' });
const optional = {
  customer_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  customer: Type.Optional(
    openObject(
      {
        name: Type.Optional(Type.String({ maxLength: 255 })),
        email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
        phone: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
      },
      { description: 'Instead of `customer_id`: found by e-mail address, then by phone number, else created.' },
    ),
  ),
  due_date: Type.Optional(
    nullableText({ format: 'date', description: 'Last UTC day to pay; the invoice is overdue on the next.' }),
  ),
  notes: Type.Optional(nullableText({ maxLength: 2000, description: 'Shown below the items.' })),
  reference: Type.Optional(nullableText({ maxLength: 128 })),
  allow_partial: Type.Optional(Type.Boolean({ default: false, description: 'Whether it can be paid in parts.' })),
  min_amount: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: 0.01,
      description: 'Minimum partial payment; only with `allow_partial`. The last payment may be less.',
    }),
  ),
  locale: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...LANGUAGES, null],
      description: 'Language of the mail; null: that of the countries of the currency, and English.',
    }),
  ),
  metadata: Type.Optional(nullableObject({ description: 'Your data: at most 50 keys and 16 KB.' })),
};

/** The fields from which the total follows. */
export const pricedBody = openObject({ items, currency });

export const createInvoiceBody = openObject({ items, currency, ...optional });

export type CreateInvoiceBody = Static<typeof createInvoiceBody>;

/** Absent fields keep their value. */
export const changeInvoiceBody = openObject({ items: Type.Optional(items), currency: Type.Optional(currency), ...optional });

export type ChangeInvoiceBody = Static<typeof changeInvoiceBody>;

export const listInvoicesQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255, description: 'In id, number, reference, name, e-mail and phone.' })),
  status: Type.Optional(Type.Enum([...INVOICE_STATUSES])),
  customer: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the customer.' })),
  date_from: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive.' })),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive; not before date_from.' })),
});

export type ListInvoicesQuery = Static<typeof listInvoicesQuery>;

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();

export const invoiceReply = Type.Object({
  id: text,
  number: nullableText({ description: 'Sequential number without gaps within the team; null for a draft.' }),
  status: Type.Enum([...INVOICE_STATUSES]),
  reference: nullableText(),
  currency: text,
  items: Type.Array(
    Type.Object({
      name: text,
      description: nullableText(),
      quantity: Type.Number(),
      unit_price: Type.Number({ description: 'Major units.' }),
      amount: Type.Number({ description: 'Quantity times price, rounded.' }),
    }),
    { description: 'The lines.' },
  ),
  amount: Type.Number({ description: 'Sum of the lines, in major units.' }),
  amount_paid: Type.Number({ description: 'Amount paid, in major units.' }),
  amount_refunded: Type.Number({ description: 'Amount refunded, in major units.' }),
  amount_due: Type.Number({ description: 'Amount still to be paid; 0 once paid or cancelled.' }),
  allow_partial: Type.Boolean({ description: 'Whether it can be paid in parts.' }),
  min_amount: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'Minimum partial payment.' }),
  customer: Type.String({ description: 'Id of the customer.' }),
  recipient: Type.Object(
    { name: nullableText(), email: nullableText(), phone: nullableText() },
    {
      description: 'Recipient, unchanged since it was sent, except that a reminder adds an e-mail address where there was none.',
    },
  ),
  due_date: nullableText({ description: 'Last UTC day to pay.' }),
  notes: nullableText({ description: 'Shown below the items.' }),
  locale: nullableText({ description: 'Language of the mail; null: that of the countries of the currency, and English.' }),
  url: nullableText({ description: 'Address of its page; null for a draft.' }),
  payment: nullableText({ description: 'Id of the latest payment; the invoice number is the reference of all its payments.' }),
  metadata: nullableObject(),
  sandbox: Type.Boolean(),
  sent_at: nullableText({ description: 'Time of the first sending; ISO 8601, UTC.' }),
  viewed_at: nullableText({ description: 'Time of the first view of its page; ISO 8601, UTC.' }),
  paid_at: nullableText({ description: 'Time of full payment; ISO 8601, UTC.' }),
  cancelled_at: nullableText({ description: 'Time of the cancellation; ISO 8601, UTC.' }),
  created_at: moment,
  updated_at: moment,
});
