import { type Static, Type } from 'typebox';
import type { JsonObject } from '../../kit/json.ts';
import { CURRENCIES } from '../../kit/money.ts';
import { pagingQuery } from '../../kit/paging.ts';
import { moment, nullableObject, nullableText, openObject } from '../../kit/schema.ts';
import { LINK_STATUSES, type LinkStatus } from './states.ts';

/** Fields that a link can collect from the payer. */
export const PAYER_FIELDS = ['name', 'email', 'phone'] as const;

export type PayerField = (typeof PAYER_FIELDS)[number];

/** A row of `links`: amounts in hundredths as bigint, times as Date. */
export interface LinkRow {
  team_id: bigint;
  id: string;
  title: string;
  description: string | null;
  reference: string | null;
  /** Null when the payer chooses the amount. */
  amount_minor: bigint | null;
  min_amount_minor: bigint | null;
  max_amount_minor: bigint | null;
  currency: string;
  status: LinkStatus;
  expires_at: Date | null;
  max_uses: number | null;
  collect: PayerField[];
  callback: string | null;
  theming: JsonObject | null;
  metadata: JsonObject | null;
  made_count: number;
  /** Payments that may still succeed. */
  open_count: number;
  /** Open payments with a started charge, each of which has taken a use. */
  held_count: number;
  succeeded_count: number;
  collected_minor: bigint;
  event_count: number;
  created_at: Date;
  updated_at: Date;
}

// ------------------------------------------------------------------------------------------------ bodies
const amountChosen = (description: string) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0.01, description }));

const title = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'Title of the page: what is paid for.' });

const optional = {
  description: Type.Optional(nullableText({ maxLength: 1000, description: 'Shown on the page under the title.' })),
  reference: Type.Optional(nullableText({ maxLength: 128 })),
  amount: amountChosen('Major units. Null: the payer types the amount.'),
  min_amount: amountChosen('The least the payer can type; only without `amount`.'),
  max_amount: amountChosen('The most the payer can type; only without `amount`.'),
  expires_at: Type.Optional(nullableText({ format: 'date-time', description: 'Expiry time; null: never.' })),
  max_uses: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Maximum number of successful payments; null: unlimited.',
    }),
  ),
  collect: Type.Optional(
    // With their type, so that the validator compares the items in linear time.
    Type.Array(Type.Enum([...PAYER_FIELDS], { type: 'string' }), {
      minItems: 1,
      uniqueItems: true,
      description:
        'Fields that the payer must enter: `email`, `phone` or both, and optionally `name`. Default for a new link: `phone`.',
    }),
  ),
  callback: Type.Optional(nullableText({ format: 'web-url', maxLength: 2048, description: 'URL to which payers return.' })),
  theming: Type.Optional(nullableObject({ description: 'color, logo, title, button_text, locale. At most 50 keys and 16 KB.' })),
  metadata: Type.Optional(nullableObject({ description: 'Your data: at most 50 keys and 16 KB. Copied to each payment.' })),
};

const currency = Type.Enum(CURRENCIES, { description: 'ISO 4217.' });

export const createLinkBody = openObject({ title, currency, ...optional });

export type CreateLinkBody = Static<typeof createLinkBody>;

/** PATCH: absent fields keep their value. The currency can only be repeated. */
export const changeLinkBody = openObject({
  title: Type.Optional(title),
  currency: Type.Optional(currency),
  active: Type.Optional(Type.Boolean({ description: 'Deactivates or reactivates it.' })),
  ...optional,
});

export type ChangeLinkBody = Static<typeof changeLinkBody>;

export const listLinksQuery = Type.Object({
  ...pagingQuery,
  search: Type.Optional(Type.String({ maxLength: 255, description: 'In id, reference, title and description.' })),
  status: Type.Optional(Type.Enum([...LINK_STATUSES])),
});

export type ListLinksQuery = Static<typeof listLinksQuery>;

// ----------------------------------------------------------------------------------------------- replies
const text = Type.String();
const chosen = (description: string) => Type.Unsafe<number | null>({ type: ['number', 'null'], description });

export const linkReply = Type.Object({
  id: text,
  title: Type.String({ description: 'What is paid for.' }),
  description: nullableText(),
  reference: nullableText(),
  amount: chosen('Major units; null when the payer chooses.'),
  min_amount: chosen('The least the payer can choose.'),
  max_amount: chosen('The most the payer can choose.'),
  currency: text,
  status: Type.Enum([...LINK_STATUSES], { description: 'Status; only an active link accepts payments.' }),
  url: Type.String({ description: 'Address of the page to share.' }),
  expires_at: nullableText({ description: 'Expiry time; ISO 8601, UTC. Null: never.' }),
  max_uses: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Maximum number of successful payments.' }),
  collect: Type.Array(Type.Enum([...PAYER_FIELDS]), { description: 'Fields that the payer must enter.' }),
  callback: nullableText(),
  payments: Type.Integer({ description: 'Number of its payments, in any status.' }),
  payments_open: Type.Integer({
    description: 'Number of these that may still succeed. A payment takes a use when it is charged.',
  }),
  payments_succeeded: Type.Integer({ description: 'Number of these that succeeded.' }),
  amount_collected: Type.Number({ description: 'Sum of the payments that succeeded; refunds are not subtracted.' }),
  theming: nullableObject({ description: 'Free-form; returned unchanged.' }),
  metadata: nullableObject(),
  sandbox: Type.Boolean({ description: 'Always false: links are live only.' }),
  created_at: moment,
  updated_at: moment,
});
