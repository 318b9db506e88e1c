import type { Document, Operation, Parameter } from '../../src/edge/openapi/types.ts';
import { DAYS, type Shop } from './rows.ts';

/** The values of one filter: parameters by the name of the value. Parameters of a range belong to one filter. */
type Filter = Record<string, Record<string, string>>;

/** A list or an object, with the caller that reads it: its path and filters, by the name of the filter. */
export interface List {
  /** As in the OpenAPI document. */
  route: string;
  path: string;
  filters: Record<string, Filter>;
  has_pages: boolean;
  has_cursor: boolean;
  /** Whether its rows belong to one object of the path or of a header. */
  is_owned: boolean;
  by: 'secret key' | 'public key';
  headers: Record<string, string>;
  choices: Choice[];
}

/** Query parameters and headers that the walk does not send, with the reason. */
export const LEFT_OUT: Record<string, string> = {
  per_page: 'at most 100 rows instead of 25, of the same statements',
  'X-Request-Id': 'is returned as it was sent',
  'X-Service-Version': 'changes the response after its rows were read',
  'public key': 'reads the same rows as a secret key, except in a search',
};

const PAGING = ['page', 'per_page', 'cursor'];
const DAY_MS = 86_400_000;
const dayOf = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

const statuses = (common: string, some: string, rare: string, none: string): Filter => ({
  common: { status: common },
  some: { status: some },
  rare: { status: rare },
  none: { status: none },
});

const STATUS: Record<string, Filter> = {
  PaymentStatus: statuses('succeeded', 'failed', 'cancelled', 'partial'),
  RefundStatus: statuses('succeeded', 'failed', 'processing', 'pending'),
  DisputeStatus: statuses('won', 'lost', 'closed', 'needs_response'),
  TransferStatus: statuses('succeeded', 'failed', 'processing', 'cancelled'),
  InvoiceStatus: statuses('paid', 'cancelled', 'overdue', 'partial'),
  LinkStatus: { common: { status: 'active' }, some: { status: 'inactive' }, rare: { status: 'expired' } },
};

const search: Filter = {
  common: { search: 'Moussa' },
  rare: { search: 'zorro' },
  short: { search: 'a' },
  none: { search: 'no such text' },
};

/** Of a public key, which searches the fields that anyone may see. */
const publicSearch: Filter = {
  common: { search: 'order' },
  rare: { search: 'order-1234' },
  short: { search: 'e' },
  none: { search: 'Moussa' },
};

/** Every customer has the digits of the country code. */
const phoneSearch: Filter = {
  apart: { search: '237 00' },
  international: { search: '00237 99' },
};

/** @param span days over which the rows were made */
const daysOf = (span: number): Filter => ({
  old: { date_to: dayOf(Math.floor(span * 0.95)) },
  recent: { date_from: dayOf(Math.floor(span / 2)) },
  few: { date_from: dayOf(Math.floor(span * 0.31) + 1), date_to: dayOf(Math.floor(span * 0.31)) },
  none: { date_from: '2099-01-01' },
});

const amounts: Filter = {
  all: { amount_min: '0.5' },
  half: { amount_max: '3000' },
  rare: { amount_min: '80000' },
  none: { amount_min: '900000' },
  contradicting: { amount_min: '5000', amount_max: '10' },
};

const ids = (name: string, { common, rare }: { common: string; rare: string }): Filter => ({
  common: { [name]: common },
  rare: { [name]: rare },
  none: { [name]: `${common.slice(0, -4)}0000` },
});

const words = (name: string, common: string, rare: string, none: string): Filter => ({
  common: { [name]: common },
  rare: { [name]: rare },
  none: { [name]: none },
});

/** Returns the filter that a query parameter belongs to, with its name. */
function filterOf({ name, schema }: Parameter, shop: Shop, span: number): [string, Filter] {
  switch (name) {
    case 'search':
      return ['search', search];
    case 'status': {
      const filter = STATUS[String(schema.$ref).split('/').at(-1) ?? ''];
      if (filter) return ['status', filter];
      break;
    }
    case 'date_from':
    case 'date_to':
      return ['days', daysOf(span)];
    case 'amount_min':
    case 'amount_max':
      return ['amounts', amounts];
    case 'payment':
      return [name, ids(name, shop.payment)];
    case 'beneficiary':
      return [name, ids(name, shop.beneficiary)];
    case 'customer':
      return [name, ids(name, shop.customer)];
    case 'channel':
      return [name, words(name, 'cm.mtn', 'cm.orange', 'none')];
    case 'type':
      return [name, words(name, 'payment.succeeded', 'dispute.created', 'dispute.closed')];
    case 'kind':
      return [name, { ...words(name, 'payment.succeeded', 'transfer.reserved', 'none'), some: { kind: 'refund.covered' } }];
    case 'bucket':
      return [name, words(name, 'pending', 'disputed', 'hold')];
    case 'currency':
      return [name, words(name, 'XAF', 'XOF', 'NGN')];
    case 'blocked':
      return [name, { rare: { blocked: 'true' }, common: { blocked: 'false' } }];
    case 'country':
      return [name, words(name, 'CM', 'NG', 'AQ')];
    case 'amount':
      return [name, words(name, '5000', '1', '99000000')];
  }
  throw new Error(`the walk over the lists has no values for the query parameter ${name}: add them to test/plans/routes.ts`);
}

/** Returns the ids that a path has: of a list, of an object with many rows and of one with few; else of one with few, as objects have. */
function subjectsOf(route: string, shop: Shop, has_pages: boolean): string[] {
  if (!route.includes('{')) return [''];
  for (const [start, { common, rare }] of [
    ['/accounts/', shop.account],
    ['/beneficiaries/', shop.beneficiary],
    ['/channels/', { common: 'cm.mtn', rare: 'cm.orange' }],
    ['/customers/', shop.customer],
    ['/disputes/', shop.dispute],
    ['/events/', shop.event],
    ['/invoices/', shop.invoice],
    ['/links/', shop.link],
    ['/payments/', shop.payment],
    ['/refunds/', shop.refund],
    ['/subaccounts/', shop.account],
    ['/transfers/', shop.transfer],
    ['/webhooks/', shop.endpoint],
  ] as const) {
    if (route.startsWith(start)) return has_pages ? [common, rare] : [rare];
  }
  throw new Error(`the walk over the lists has no id for ${route}: add it to test/plans/routes.ts`);
}

const PUBLIC_SEARCH = 'search by public key';

/** Returns the parameters of an operation, and the other callers that it has. */
function parametersIn(document: Document, operation: Operation): Parameter[] {
  return operation.parameters.map((one) =>
    '$ref' in one ? (document.components.parameters[one.$ref.split('/').at(-1) as string] as Parameter) : one,
  );
}

/** Returns what the document offers and no list of the walk asks, by name: `page`, `X-Sync`, `public key`. */
export function unaskedOf(document: Document, lists: readonly List[]): string[] {
  const offered = readsOf(document).flatMap(([route, operation]) => {
    const parameters = parametersIn(document, operation).filter((one) => one.in !== 'path');
    const has_search = parameters.some(({ name }) => name === 'search');
    const caller = operation['x-access'] === 'public' ? [has_search ? PUBLIC_SEARCH : 'public key'] : [];
    return ['', ...parameters.map(({ name }) => name), ...caller].map((name) => [route, name] as const);
  });
  const asked = new Set(
    lists.flatMap(({ route, filters, has_pages, has_cursor, headers, by }) => {
      const sent = Object.values(filters).flatMap((filter) => Object.values(filter).flatMap((value) => Object.keys(value)));
      const paging = [...(has_pages ? ['page'] : []), ...(has_cursor ? ['cursor'] : [])];
      return ['', ...sent, ...paging, ...Object.keys(headers), ...(by === 'public key' ? [PUBLIC_SEARCH] : [])].map(
        (name) => `${route} ${name}`,
      );
    }),
  );
  const unasked = offered.filter(([route, name]) => !asked.has(`${route} ${name}`));
  return [...new Set(unasked.map(([route, name]) => name || route))].sort();
}

function readsOf({ paths }: Document): [string, Operation][] {
  return Object.entries(paths).flatMap(([route, { get }]): [string, Operation][] => (get ? [[route, get]] : []));
}

/** Returns every list and object of the document: each GET. Lists of an object come last, because their bounds depend on the others. @param span days over which the rows of the shop were made */
export function listsOf(document: Document, shop: Shop, span = DAYS): List[] {
  const lists = readsOf(document).flatMap(([route, operation]) => {
    const parameters = parametersIn(document, operation);
    const query = parameters.filter((one) => one.in === 'query');
    const names = query.map(({ name }) => name);
    const has_pages = names.includes('page');
    const filters = Object.fromEntries(
      query.filter(({ name }) => !PAGING.includes(name)).map((one) => filterOf(one, shop, span)),
    );
    return subjectsOf(route, shop, has_pages).flatMap((id): List[] => {
      const path = route.replace(/\{\w+\}/, id);
      const list: List = {
        ...{ route, path, filters, has_pages, has_cursor: names.includes('cursor'), is_owned: id !== '' },
        ...{ by: 'secret key', headers: {}, choices: choicesOf(filters) },
      };
      const accounts = parameters.some(({ name }) => name === 'X-Sync') ? Object.values(shop.account) : [];
      return [list, ...accounts.map((account) => ofAccount(list, account)), ...searchesOf(list, operation)];
    });
  });
  return [...lists.filter(({ is_owned }) => !is_owned), ...lists.filter(({ is_owned }) => is_owned)];
}

/** Returns a list of one subaccount: each filter alone, because the statements are those of the team. */
function ofAccount(list: List, account: string): List {
  return { ...list, is_owned: true, headers: { 'X-Sync': account }, choices: [{}, ...singlesOf(list.filters)] };
}

/** Returns what else is searched in a list: digits of phone numbers, and what a public key searches. */
function searchesOf(list: List, operation: Operation): List[] {
  if (list.path === '/customers') {
    const filters = { search: phoneSearch };
    return [{ ...list, filters, choices: singlesOf(filters) }];
  }
  if (operation['x-access'] !== 'public' || !('search' in list.filters)) return [];
  const filters = { ...list.filters, search: publicSearch };
  return [{ ...list, by: 'public key', filters, choices: choicesOf(filters).filter((choice) => 'search' in choice) }];
}

/** One query of a list: the chosen value of each of its filters. */
export type Choice = Record<string, string>;

const singlesOf = (filters: List['filters']): Choice[] =>
  Object.keys(filters).flatMap((name) => Object.keys(filters[name] as Filter).map((value) => ({ [name]: value })));

/**
 * Returns no filter, each value of each filter alone, each pair of values of two filters, a search with each two other filters, and all filters
 * together.
 */
function choicesOf(filters: List['filters']): Choice[] {
  const names = Object.keys(filters);
  const singles = singlesOf(filters);
  const pairs = singles.flatMap((one, i) =>
    singles.slice(i + 1).flatMap((other) => (Object.keys(one)[0] === Object.keys(other)[0] ? [] : [{ ...one, ...other }])),
  );
  const others = names.filter((name) => name !== 'search');
  const all = names.length < 3 ? [] : LEVELS.map((value) => together(filters, others, value));
  return [{}, ...singles, ...pairs, ...(others.length < names.length ? searchedTogether(filters, others) : []), ...all];
}

const LEVELS = ['common', 'rare'];

/** A search with each two of the other filters, and with all of them, of which many and few rows fit each. */
function searchedTogether(filters: List['filters'], others: string[]): Choice[] {
  const pairs = others.flatMap((one, i) => others.slice(i + 1).map((other) => [one, other]));
  const sets = [...pairs, ...(others.length > 2 ? [others] : [])];
  return LEVELS.flatMap((search) => sets.flatMap((set) => LEVELS.map((value) => ({ search, ...together(filters, set, value) }))));
}

function together(filters: List['filters'], names: string[], value: string): Choice {
  return Object.fromEntries(
    names.map((name) => {
      const values = Object.keys(filters[name] as Filter);
      return [name, values.includes(value) ? value : (values[0] as string)];
    }),
  );
}

/** Returns the query parameters of a choice. */
export function parametersOf({ filters }: List, choice: Choice): Record<string, string> {
  return Object.assign({}, ...Object.entries(choice).map(([name, value]) => filters[name]?.[value]));
}
