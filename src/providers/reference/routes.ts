import { type Reply, type Route, route } from '../../tenants/api/route.ts';
import type { Environment } from '../../kit/environment.ts';
import { invalid, must, notFound } from '../../kit/errors.ts';
import { type Minor, minorFromWire, wireFromMinor } from '../../kit/money.ts';
import { banksOf } from './banks.ts';
import { type Channel, channelById, channelsFor, limitsOf } from './channels.ts';
import { COUNTRIES, type Country } from './countries.ts';
import { CURRENCY_ENTRIES } from './currencies.ts';
import { banksQuery, type ChannelReply, channelsQuery, pagesQuery, type PagesQuery, replies } from './schema.ts';

const REFERENCE = { method: 'GET', access: 'public', scope: 'resource.read' } as const;

/** Returns the current health of a team's payments on a channel. */
export type StandingOf = (environment: Environment, team_id: bigint, channelId: string) => Promise<ChannelReply['status']>;

/**
 * Routes of channels, countries, currencies and banks. Except for the status of channels, they are the same for every
 * team and environment.
 */
export function referenceRoutes(standingOf: StandingOf = async () => 'operational'): Route[] {
  return [listChannels(standingOf), retrieveChannel(standingOf), listCountries, listCurrencies, listBanks];
}

function listChannels(standingOf: StandingOf): Route {
  return route({
    ...REFERENCE,
    path: '/channels',
    summary: 'List channels',
    description: 'Payment methods by country: the values of `channel`, with limits for one charge.',
    query: channelsQuery,
    replies: { 200: replies.channels },
    async handle({ query, caller }) {
      const { country, currency, amount } = query;
      const found = channelsFor({ country, currency, amount_minor: amount === undefined ? undefined : minorOf(amount) });
      const { items, meta } = pageOf(found, query);
      const statuses = await Promise.all(items.map(({ id }) => standingOf(caller.store.environment, caller.team.id, id)));
      const shown = items.map((channel, i) => channelReply(channel, must(statuses[i], 'one for each'), currency));
      return { code: 200, message: 'Channels retrieved', body: { items: shown, meta } };
    },
  });
}

function retrieveChannel(standingOf: StandingOf): Route {
  return route({
    ...REFERENCE,
    path: '/channels/:id',
    summary: 'Retrieve a channel',
    replies: { 200: replies.channel },
    async handle({ params, caller }) {
      const channel = channelById(params.id ?? '');
      if (!channel) throw notFound();
      const status = await standingOf(caller.store.environment, caller.team.id, channel.id);
      return { code: 200, message: 'Channel retrieved', body: { channel: channelReply(channel, status) } };
    },
  });
}

const listCountries = route({
  ...REFERENCE,
  path: '/countries',
  summary: 'List countries',
  query: pagesQuery,
  replies: { 200: replies.countries },
  async handle({ query }) {
    return list('Countries retrieved', COUNTRIES.map(countryReply), query);
  },
});

const listCurrencies = route({
  ...REFERENCE,
  path: '/currencies',
  summary: 'List currencies',
  query: pagesQuery,
  replies: { 200: replies.currencies },
  async handle({ query }) {
    return list('Currencies retrieved', CURRENCY_ENTRIES, query);
  },
});

const listBanks = route({
  ...REFERENCE,
  path: '/banks',
  summary: 'List banks',
  description: 'Value for `bank_code`.',
  query: banksQuery,
  replies: { 200: replies.banks },
  async handle({ query }) {
    return list('Banks retrieved', banksOf(query.country), query);
  },
});

/** The schema has validated the range, so only the decimals can be invalid. */
function minorOf(amount: number): Minor {
  const minor = minorFromWire(amount);
  if (minor === null) throw invalid({ amount: ['must have at most two decimals'] });
  return minor;
}

function list(message: string, items: readonly unknown[], query: PagesQuery): Reply {
  return { code: 200, message, body: pageOf(items, query) };
}

function pageOf<Item>(all: readonly Item[], { page = 1, per_page = Math.max(1, all.length) }: PagesQuery) {
  const total = all.length;
  const items = all.slice((page - 1) * per_page, page * per_page);
  return { items, meta: { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total } };
}

/**
 * Returns the channel in API format.
 * @param currency the currency of the top-level limits; the channel's first when omitted
 */
function channelReply(channel: Channel, status: ChannelReply['status'], currency?: string): ChannelReply {
  const { id, name, kind, country, ussd_hint } = channel;
  const currencies = channel.currencies.map((code) => limitsReply(channel, code));
  const flat = must(currencies.find((entry) => entry.currency === currency) ?? currencies[0], 'every channel has a currency');
  return { id, name, kind, country, ...flat, currencies, ussd_hint: ussd_hint ?? null, status };
}

function countryReply({ code, name, calling_code, currencies }: Country) {
  return { code, name, calling_code, currencies };
}

function limitsReply(channel: Channel, currency: string) {
  const limits = must(limitsOf(channel, currency), 'a channel has limits for each of its currencies');
  const { min_minor, max_minor, step_minor } = limits;
  return { currency, min: wireFromMinor(min_minor), max: wireFromMinor(max_minor), step: wireFromMinor(step_minor) };
}
