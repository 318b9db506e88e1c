import { type Static, Type } from 'typebox';
import { CURRENCIES } from '../../kit/money.ts';
import { listMeta, pagingQuery } from '../../kit/paging.ts';
import { envelopeSchema } from '../../kit/envelope.ts';
import { moment } from '../../kit/schema.ts';
import { OWN_ACCOUNTS } from '../../money/ledger/accounts.ts';

/** The balances that GET /balance shows beside their total. */
export const BUCKETS = OWN_ACCOUNTS;

export type Bucket = (typeof BUCKETS)[number];

/** The balance as GET /balance returns it, in major units. */
export type Balance = { total: number } & Record<Bucket, number> & { currency: string };

const currency = Type.Optional(Type.Enum(CURRENCIES, { description: "ISO 4217; default: the team's currency." }));

export const balanceQuery = Type.Object({ currency });

export type BalanceQuery = Static<typeof balanceQuery>;

const figures = {
  total: Type.Number({ description: 'The sum of the seven others.' }),
  available: Type.Number({ description: 'Can be withdrawn now; transfers draw on this only.' }),
  pending: Type.Number({ description: 'Credited, still in retention.' }),
  reserved: Type.Number({
    description: 'Set aside for transfers: amount and fee until a transfer is submitted to a provider, its fee until it ends.',
  }),
  hold: Type.Number({ description: 'Collected for incomplete payments, or to be returned to the payer.' }),
  disputed: Type.Number({ description: 'Blocked while a dispute is open.' }),
  'in.transit': Type.Number({ description: 'Amounts of transfers that were submitted to a provider and have not ended.' }),
  credit: Type.Number({ description: 'Advance by the platform: zero or negative, repaid first.' }),
  currency: Type.String(),
};

/** The figures themselves, and again under the name of the resource, as in every other response (docs/contract/envelope.md). */
export const balanceReply = envelopeSchema({ ...figures, balance: Type.Object(figures) });

export const historyQuery = Type.Object({
  ...pagingQuery,
  date_from: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive.' })),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'UTC day, inclusive; not before date_from.' })),
  bucket: Type.Optional(Type.Enum([...BUCKETS])),
  kind: Type.Optional(Type.String({ maxLength: 64, description: 'Cause, such as `payment.succeeded`.' })),
  currency: Type.Optional(Type.Enum(CURRENCIES, { description: 'ISO 4217; default: all.' })),
});

export type HistoryQuery = Static<typeof historyQuery>;

const text = Type.String();

const historyItem = Type.Object({
  id: Type.String({ description: 'Permanent identifier.' }),
  kind: Type.String({ description: 'Cause, such as `payment.succeeded`.' }),
  bucket: Type.Enum([...BUCKETS]),
  amount: Type.Number({ description: 'Major units; negative for a decrease.' }),
  currency: text,
  source: Type.String({ description: 'The attempt, refund, transfer, … that moved the money.' }),
  subject: Type.String({
    description:
      'The payment or transfer it belongs to. For released retentions, test money and unexplained money of a statement: an internal id.',
  }),
  created_at: moment,
});

export type HistoryItem = Static<typeof historyItem>;

export const historyReply = envelopeSchema({ items: Type.Array(historyItem), meta: listMeta });
