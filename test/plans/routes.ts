import type { Document, Parameter } from '../../src/edge/openapi/types.ts';
import type { Shop } from './rows.ts';

/** The values of one filter: parameters by the name of the value. Parameters of a range belong to one filter. */
type Filter = Record<string, Record<string, string>>;

/** A list: its path and filters, by the name of the filter. */
export interface List {
  /** As in the OpenAPI document. */
  route: string;
  path: string;
  filters: Record<string, Filter>;
  has_cursor: boolean;
}

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

const days: Filter = {
  old: { date_to: dayOf(76) },
  recent: { date_from: dayOf(40) },
  few: { date_from: dayOf(25), date_to: dayOf(24) },
  none: { date_from: '2099-01-01' },
};

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
function filterOf({ name, schema }: Parameter, shop: Shop): [string, Filter] {
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
      return ['days', days];
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

/** Returns the ids that stand in a path. */
function subjectsOf(route: string, shop: Shop): string[] {
  if (!route.includes('{')) return [''];
  for (const [start, { common, rare }] of [
    ['/customers/', shop.customer],
    ['/links/', shop.link],
    ['/payments/', shop.payment],
    ['/webhooks/', shop.endpoint],
  ] as const) {
    if (route.startsWith(start)) return [common, rare];
  }
  throw new Error(`the walk over the lists has no id for ${route}: add it to test/plans/routes.ts`);
}

/** Returns every list of the document: each GET with pages. */
export function listsOf(document: Document, shop: Shop): List[] {
  return Object.entries(document.paths).flatMap(([route, operations]) => {
    const query = ((operations.get?.parameters ?? []) as Parameter[]).filter((one) => one.in === 'query');
    const names = query.map(({ name }) => name);
    if (!names.includes('page')) return [];
    const filters = Object.fromEntries(query.filter(({ name }) => !PAGING.includes(name)).map((one) => filterOf(one, shop)));
    return subjectsOf(route, shop).map((id) => ({
      route,
      path: route.replace(/\{\w+\}/, id),
      filters,
      has_cursor: names.includes('cursor'),
    }));
  });
}

/** One query of a list: the chosen value of each of its filters. */
export type Choice = Record<string, string>;

/** Returns no filter, each value of each filter alone, each pair of values of two filters, and all filters together. */
export function choicesOf({ filters }: List): Choice[] {
  const names = Object.keys(filters);
  const singles = names.flatMap((name) => Object.keys(filters[name] as Filter).map((value) => ({ [name]: value })));
  const pairs = singles.flatMap((one, i) =>
    singles.slice(i + 1).flatMap((other) => (Object.keys(one)[0] === Object.keys(other)[0] ? [] : [{ ...one, ...other }])),
  );
  const all = names.length < 3 ? [] : ['common', 'rare'].map((value) => everything(filters, value));
  return [{}, ...singles, ...pairs, ...all];
}

function everything(filters: List['filters'], value: string): Choice {
  return Object.fromEntries(
    Object.entries(filters)
      .filter(([name]) => name !== 'search')
      .map(([name, values]) => [name, value in values ? value : (Object.keys(values)[0] as string)]),
  );
}

/** Returns the query parameters of a choice. */
export function parametersOf({ filters }: List, choice: Choice): Record<string, string> {
  return Object.assign({}, ...Object.entries(choice).map(([name, value]) => filters[name]?.[value]));
}
