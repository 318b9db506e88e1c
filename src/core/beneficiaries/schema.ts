import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { PayeeKind } from './destination.ts';

/** A row of `beneficiaries`: a registered recipient of transfers. */
export interface BeneficiaryRow {
  team_id: bigint;
  id: string;
  name: string;
  channel: string;
  type: PayeeKind;
  country: string;
  currency: string;
  account_number: string | null;
  phone: string | null;
  email: string | null;
  bank_code: string | null;
  description: string | null;
  reference: string | null;
  metadata: JsonObject | null;
  event_count: number;
  created_at: Date;
  updated_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
/** Fields of a recipient, saved or inline in a transfer. */
export const payee = {
  name: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  channel: Type.String({ minLength: 1, maxLength: 64, description: '`<country>.<operator>`; see GET /channels.' }),
  phone: nullableText({ maxLength: 32, description: 'National or international form; required for mobile money.' }),
  account_number: nullableText({ maxLength: 64, description: 'Required for banks; spaces and dashes are dropped.' }),
  email: nullableText({ format: 'email', maxLength: 255 }),
  country: nullableText({ maxLength: 2, description: 'ISO 3166-1 alpha-2; country of the channel.' }),
  bank_code: nullableText({ maxLength: 32, description: 'See GET /banks.' }),
};

const { phone, account_number, email, country, bank_code } = payee;

const optional = {
  phone: Type.Optional(phone),
  account_number: Type.Optional(account_number),
  email: Type.Optional(email),
  country: Type.Optional(country),
  currency: Type.Optional(Type.Enum(CURRENCIES, { description: 'Default: the first of the channel.' })),
  bank_code: Type.Optional(bank_code),
  description: Type.Optional(nullableText({ maxLength: 500 })),
  reference: Type.Optional(nullableText({ maxLength: 128, description: 'Your reference; need not be unique.' })),
  metadata: Type.Optional(nullableObject({ description: 'Your data: at most 50 keys and 16 KB.' })),
};

export const createBeneficiaryBody = openObject({ name: payee.name, channel: payee.channel, ...optional });

/** PUT: absent fields are reset to their default. Channel, country and currency can only be repeated. */
export const replaceBeneficiaryBody = openObject({ name: payee.name, channel: Type.Optional(payee.channel), ...optional });

/** PATCH: absent fields keep their value. */
export const changeBeneficiaryBody = openObject({
  name: Type.Optional(payee.name),
  channel: Type.Optional(payee.channel),
  ...optional,
});

export type CreateBeneficiaryBody = Static<typeof createBeneficiaryBody>;
export type ReplaceBeneficiaryBody = Static<typeof replaceBeneficiaryBody>;
export type ChangeBeneficiaryBody = Static<typeof changeBeneficiaryBody>;

export const listBeneficiariesQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(
    Type.String({ maxLength: 255, description: 'Searches id, reference, name, e-mail, phone and account number.' }),
  ),
});

export type ListBeneficiariesQuery = Static<typeof listBeneficiariesQuery>;

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();

export const beneficiaryReply = Type.Object({
  id: text,
  name: text,
  type: Type.Enum(['mobile_money', 'bank'], { description: 'From the channel.' }),
  channel: text,
  phone: nullableText({ description: 'International form.' }),
  account_number: nullableText(),
  email: nullableText(),
  bank_code: nullableText(),
  country: text,
  currency: text,
  description: nullableText(),
  reference: nullableText(),
  metadata: nullableObject(),
  sandbox: Type.Boolean(),
  created_at: moment,
  updated_at: moment,
});
