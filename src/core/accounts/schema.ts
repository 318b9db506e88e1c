import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import type { Split } from '../../money/settlement/shares.ts';

export const VERIFICATIONS = ['pending', 'verified', 'rejected'] as const;

export type Verification = (typeof VERIFICATIONS)[number];

/** Destination of payouts to the subaccount. */
export interface Settlement {
  channel: string;
  /** An E.164 number on a mobile money channel. */
  account_number: string;
}

/** A row of accounts: a connected subaccount. */
export interface AccountRow {
  team_id: bigint;
  id: string;
  name: string;
  email: string;
  phone: string | null;
  business_profile: JsonObject | null;
  split: Split | null;
  settlement: Settlement | null;
  metadata: JsonObject | null;
  active: boolean;
  verification: Verification;
  event_count: number;
  created_at: Date;
  updated_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
const name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' });
const email = Type.String({ format: 'email', maxLength: 255 });

const splitFields = openObject({
  type: Type.Enum(['percentage', 'fixed']),
  value: Type.Number({ minimum: 0, description: "The platform's share: percent, or major units. At most two decimals." }),
});

const settlementFields = openObject({
  channel: Type.String({ minLength: 1, maxLength: 64, description: '`<country>.<operator>`; see GET /channels.' }),
  account_number: Type.String({ minLength: 1, maxLength: 64, description: 'A phone number on mobile money channels.' }),
});

const optional = {
  phone: Type.Optional(nullableText({ maxLength: 32 })),
  business_profile: Type.Optional(nullableObject({ maxProperties: 50, description: 'Your data: name, url, category …' })),
  // Declared as lists of types, so that errors inside the object are reported under their own path.
  split: Type.Optional(Type.Unsafe<Static<typeof splitFields> | null>({ ...splitFields, type: ['object', 'null'] })),
  settlement: Type.Optional(
    Type.Unsafe<Static<typeof settlementFields> | null>({ ...settlementFields, type: ['object', 'null'] }),
  ),
  metadata: Type.Optional(nullableObject({ maxProperties: 50, description: 'Your data: at most 50 keys and 16 KB.' })),
};

export const createAccountBody = openObject({ name, email, ...optional });

/** PATCH: absent fields keep their value. */
export const changeAccountBody = openObject({ name: Type.Optional(name), email: Type.Optional(email), ...optional });

export type CreateAccountBody = Static<typeof createAccountBody>;
export type ChangeAccountBody = Static<typeof changeAccountBody>;

export const listAccountsQuery = Type.Object(pagingQuery);

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();
const hidden = 'Not shown to public keys.';

export const accountReply = Type.Object({
  id: text,
  name: text,
  email: Type.Optional(Type.String({ description: hidden })),
  phone: Type.Optional(nullableText({ description: hidden })),
  business_profile: Type.Optional(nullableObject({ description: hidden })),
  split: nullableObject({ description: "`type` and `value`: the platform's share of a payment." }),
  settlement: Type.Optional(nullableObject({ description: hidden })),
  metadata: nullableObject(),
  active: Type.Boolean(),
  verification: Type.Enum([...VERIFICATIONS]),
  sandbox: Type.Boolean(),
  created_at: moment,
  updated_at: moment,
});

export const onboardingReply = Type.Object({
  url: Type.String({ description: 'URL at which the owner of the account completes verification.' }),
  expires_at: moment,
});
