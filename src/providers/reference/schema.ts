import { type Static, Type } from 'typebox';
import { envelopeSchema } from '../../kit/envelope.ts';
import { CURRENCIES, MAX_AMOUNT } from '../../kit/money.ts';
import { pagingQuery } from '../../kit/paging.ts';

const country = Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' });
const currency = Type.Enum(CURRENCIES, { description: 'ISO 4217.' });

/** Paging parameters. The lists are short and change only with releases, so without `per_page` the whole list is one page. */
const pages = {
  page: pagingQuery.page,
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default: all on one page.' })),
};

export const pagesQuery = Type.Object(pages);

export type PagesQuery = Static<typeof pagesQuery>;

export const channelsQuery = Type.Object({
  ...pages,
  country: Type.Optional(country),
  currency: Type.Optional(currency),
  amount: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: MAX_AMOUNT,
      description: 'Major units: leaves out the channels that cannot take it.',
    }),
  ),
});

export type ChannelsQuery = Static<typeof channelsQuery>;

export const banksQuery = Type.Object({ ...pages, country: Type.Optional(country) });

export type BanksQuery = Static<typeof banksQuery>;

const limits = {
  currency: Type.String(),
  min: Type.Number({ description: 'Major units, for one charge.' }),
  max: Type.Number({ description: 'Major units, for one charge. Mobile money above it is collected in several charges.' }),
  step: Type.Number({ description: 'Amounts are multiples of it.' }),
};

export const channel = Type.Object({
  id: Type.String({ description: '`<country>.<operator>`, as in POST /payments/{id}.' }),
  name: Type.String(),
  kind: Type.Enum(['mobile_money', 'bank', 'card']),
  country: Type.String(),
  ...limits,
  currencies: Type.Array(Type.Object(limits), {
    description: 'Supported currencies; the limits above are those of the requested currency, else of the first.',
  }),
  ussd_hint: Type.Union([Type.String(), Type.Null()], { description: 'USSD code to dial when no prompt appears.' }),
  status: Type.Enum(['operational', 'degraded', 'down'], {
    description: 'Current health of your payments on it; `down`: nothing is sent, except occasional probes.',
  }),
});

export type ChannelReply = Static<typeof channel>;

const countryReply = Type.Object({
  code: Type.String(),
  name: Type.String(),
  calling_code: Type.String(),
  currencies: Type.Array(Type.String()),
});
const currencyReply = Type.Object({ code: Type.String(), name: Type.String(), decimals: Type.Integer() });
const bankReply = Type.Object({
  country: Type.String(),
  code: Type.String({ description: 'Value for `bank_code`.' }),
  name: Type.String(),
});

/** These lists are short and fixed, so they have no cursors. */
const onePageMeta = Type.Object({
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
});

function listOf<T extends Parameters<typeof Type.Array>[0]>(items: T) {
  return envelopeSchema({ items: Type.Array(items), meta: onePageMeta });
}

export const replies = {
  channels: listOf(channel),
  channel: envelopeSchema({ channel }),
  countries: listOf(countryReply),
  currencies: listOf(currencyReply),
  banks: listOf(bankReply),
};
