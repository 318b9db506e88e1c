import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';

/** A row of `customers`: a payer, as the merchant knows them. */
export interface CustomerRow {
  team_id: bigint;
  id: string;
  name: string | null;
  email: string | null;
  /** In the format of `compactPhone`. */
  phone: string | null;
  company_name: string | null;
  address: JsonObject | null;
  billing: JsonObject | null;
  tax_id: string | null;
  metadata: JsonObject | null;
  blocked_at: Date | null;
  /** Time of the erasure, which is permanent; null for a customer that is not erased. */
  archived_at: Date | null;
  event_count: number;
  created_at: Date;
  updated_at: Date;
}

/** A row of `payment_methods`, without its encrypted column. */
export interface PaymentMethodRow {
  team_id: bigint;
  id: string;
  customer_id: string;
  type: ChannelKind;
  channel: string;
  brand: string | null;
  last4: string | null;
  created_at: Date;
  last_used_at: Date;
}

export type ComplianceStatus = 'pending' | 'approved' | 'rejected';

/** A row of `compliance_records`: the result of a customer's KYC check. */
export interface ComplianceRow {
  team_id: bigint;
  customer_id: string;
  status: ComplianceStatus;
  /** Who made the decision. */
  author: string;
  note: string | null;
  created_at: Date;
  updated_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
const fields = {
  name: Type.Optional(nullableText({ maxLength: 255 })),
  email: Type.Optional(nullableText({ format: 'email', maxLength: 255, description: 'Unique among customers.' })),
  phone: Type.Optional(
    nullableText({
      minLength: 1,
      maxLength: 32,
      description: 'Unique among customers. Send the international form: a national number has no country here.',
    }),
  ),
  company_name: Type.Optional(nullableText({ maxLength: 255 })),
  address: Type.Optional(
    nullableObject({ description: 'line1, line2, city, state, postal_code, country. At most 50 keys and 16 KB.' }),
  ),
  billing: Type.Optional(
    nullableObject({ description: 'Address for invoices: name, line1, city, country and so on. At most 50 keys and 16 KB.' }),
  ),
  tax_id: Type.Optional(nullableText({ maxLength: 64, description: 'Tax number of the person or company.' })),
  metadata: Type.Optional(nullableObject({ description: 'Your data: at most 50 keys and 16 KB.' })),
};

/** POST and PUT: absent fields become null. PATCH: absent fields keep their value. */
export const customerBody = openObject(fields);

export type CustomerBody = Static<typeof customerBody>;

export const listCustomersQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255, description: 'In id, name, e-mail, phone and company name.' })),
  blocked: Type.Optional(Type.Boolean({ description: 'Only blocked customers (true) or only others (false).' })),
});

export type ListCustomersQuery = Static<typeof listCustomersQuery>;

export const listMethodsQuery = Type.Object(pagingQuery);

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();

export const customerReply = Type.Object({
  id: text,
  name: nullableText(),
  email: nullableText(),
  phone: nullableText(),
  company_name: nullableText({ description: 'Name of the company.' }),
  address: nullableObject({ description: 'Returned unchanged.' }),
  billing: nullableObject({ description: 'Returned unchanged.' }),
  tax_id: nullableText({ description: 'Tax number of the person or company.' }),
  metadata: nullableObject(),
  blocked: Type.Boolean({ description: 'Payments of a blocked customer are rejected.' }),
  sandbox: Type.Boolean(),
  archived_at: nullableText({ description: 'Time of the erasure; null unless erased.' }),
  created_at: moment,
  updated_at: moment,
});

export const paymentMethodReply = Type.Object({
  id: text,
  customer: Type.String({ description: 'Id of the customer.' }),
  type: Type.Enum(['mobile_money', 'bank', 'card'], { description: 'From the channel.' }),
  channel: text,
  brand: nullableText({ description: 'Network of a card.' }),
  last4: nullableText({ description: 'Last four digits of the number, account or card.' }),
  sandbox: Type.Boolean(),
  created_at: moment,
  last_used_at: Type.String({ description: 'Time of the last use, or of saving; ISO 8601, UTC.' }),
});
