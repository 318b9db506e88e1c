import { type Static, Type } from 'typebox';
import { nullableText, openObject } from '../../kit/schema.ts';

export const resolveBody = openObject({
  channel: Type.String({ minLength: 1, maxLength: 64, description: '`<country>.<operator>`; see GET /channels.' }),
  phone: Type.Optional(nullableText({ maxLength: 32, description: 'National or international form; for mobile money.' })),
  account_number: Type.Optional(nullableText({ maxLength: 64, description: 'For banks; spaces and dashes are dropped.' })),
  bank_code: Type.Optional(nullableText({ maxLength: 32, description: 'See GET /banks.' })),
  country: Type.Optional(nullableText({ maxLength: 2, description: 'ISO 3166-1 alpha-2; country of the channel.' })),
});

export type ResolveBody = Static<typeof resolveBody>;

export const identityReply = Type.Object({
  resolved: Type.Boolean({ description: 'Whether the number or account has a holder on the channel.' }),
  name: nullableText({ description: 'Name of the holder; null when not resolved.' }),
  channel: Type.String(),
  phone: nullableText({ description: 'International form.' }),
  account_number: nullableText(),
  bank_code: nullableText(),
  country: Type.String(),
  sandbox: Type.Boolean(),
});
