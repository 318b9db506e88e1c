import { checkBooks } from '../../src/core/books-check/check.ts';
import type { BooksDifference } from '../../src/core/books-check/differences.ts';
import { type Db, sql } from '../../src/kit/sql.ts';
import type { Difference } from '../../src/money/ledger/differences.ts';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { type Claim, claimsOf } from './after-sale.ts';
import { type End, type Flow, hasMoved } from './book.ts';
import { leaksOf } from './leaks.ts';
import type { World } from './population.ts';
import { openWork } from './person.ts';
import type { Receiver, Taken } from './receiver.ts';
import type { Intent, Shop } from './shop.ts';

/*
 * Everything that the oracle compares, as plain data: read once, after the last event. Amounts are in hundredths.
 */

/** An operation by the books of the providers. */
export interface Moved {
  flow: Flow;
  key: string;
  /** Our id of the attempt, refund or transfer. */
  subject: string;
  /** Of a refund: the key of the collection it returns. */
  of: string | null;
  /** Number or account of the payer or the recipient. */
  number: string | null;
  amount_minor: bigint;
  currency: string;
  /** It moved after the provider had ended the operation without money. */
  late: boolean;
  /** Its provider had said that it did not take it. */
  denied: boolean;
  /** The money that was asked for. */
  asked_minor: bigint;
  asked_currency: string;
}

/** Money that the ledger says has entered (positive) or left the providers by one operation. */
export interface Booked {
  team_id: bigint;
  /** Key at the provider; null for what has none, such as a chargeback. */
  key: string | null;
  kind: string;
  subject: string;
  payment: string;
  currency: string;
  amount_minor: bigint;
}

/** How a payout ended at a provider, whether its money moved or not. */
export interface PayoutEnd {
  /** Our id of the transfer. */
  subject: string;
  end: End;
  /** Null where its provider says none. */
  reason: string | null;
}

export interface Balance {
  team_id: bigint;
  currency: string;
  account: string;
  amount_minor: bigint;
}

// biome-ignore lint/suspicious/noExplicitAny: what the API shows is compared field by field
export type Shown = any;

/** A wish that names the number of the payer or the recipient. */
export type Wish = Intent & { number?: string | null };

export interface ShopView {
  team_id: bigint;
  payments: Shown[];
  refunds: Shown[];
  transfers: Shown[];
  disputes: Shown[];
  links: Shown[];
  invoices: Shown[];
  customers: Shown[];
  beneficiaries: Shown[];
  accounts: Shown[];
  /** With the sequence number within its resource; in the order of these. */
  events: Shown[];
  /** Of the team, and with `account` of its sub-accounts. */
  balances: Shown[];
  /** Everything in the lists, retrieved one by one; customers, beneficiaries and accounts are not. */
  retrieved: Shown[];
  /** What `meta.total` says of the lists. */
  totals: Record<string, number>;
  intents: readonly Wish[];
  /** Amounts that payers typed on the pages of links, by link. */
  typed: ReadonlyMap<string, readonly number[]>;
  /** Customers that were blocked: whether they are in the end; null: unknown. */
  blocked: ReadonlyMap<string, boolean | null>;
  /** What was decided of its disputes. */
  claims: readonly Claim[];
  endpoints: { url: string; events: readonly string[]; taken: Taken[]; changed: readonly string[] }[];
  erased: readonly string[];
  /** What it gets when it asks for resources of other teams. */
  foreign: { path: string; status: number }[];
}

export interface Snapshot {
  moved: Moved[];
  payouts: PayoutEnd[];
  /** Ids of what a person ended as failed. */
  endedByHand: ReadonlySet<string>;
  booked: Booked[];
  balances: Balance[];
  /** Payment and kind of every attempt and refund. `purpose`: the return that a refund is made for, else its own id. */
  owners: { id: string; payment: string; kind: string; purpose: string }[];
  /** Evidence of another amount or currency that waits for reconciliation: the attempt and its payment. */
  mismatches: { id: string; payment: string; amount_minor: bigint; currency: string }[];
  /** Money that was to be returned and that the merchant keeps by manual resolution. */
  kept: { payment: string; amount_minor: bigint }[];
  /** Money that left more than once for one return, and that the platform bears by manual resolution. */
  absorbed: { payment: string; currency: string; amount_minor: bigint }[];
  open: { kind: string; id: string; waits: boolean }[];
  undelivered: number;
  shops: ShopView[];
  complaints: string[];
  /** Lines of the database that hold data of an erased customer. */
  leaks: string[];
  /** What `pirogue ledger verify` finds: it knows the share of each party. */
  verified: string[];
  /** How long the money of each kind of channel is retained by the settings. */
  retention_ms: Record<'mobile_money' | 'bank' | 'card', number>;
  /** Paid payments, and when all of their money had become available; null: at once. */
  releases: { payment: string; released_ms: number | null }[];
  /** How many entries of the audit trail each action on a resource has. */
  audited: { team_id: bigint; action: string; resource: string; times: number }[];
}

export async function takeSnapshot(world: World): Promise<Snapshot> {
  const { bank, receiver, shops, ground } = world;
  const now = bank.now();
  const entries = bank.book.entries.filter((entry) => hasMoved(entry, now));
  const moved = entries.map(({ flow, key, subject, of, number, moves, amount_minor, currency, end, denied }) => ({
    ...{ flow, key, subject, of, number, ...moves, late: end !== 'succeeded', denied },
    ...{ asked_minor: amount_minor, asked_currency: currency },
  }));
  const payouts = bank.book.entries.filter(({ flow }) => flow === 'payout');
  const stored = await readStore(world);
  const views: ShopView[] = [];
  for (const shop of shops) {
    const own = stored.balances.filter(({ team_id }) => team_id === shop.team_id);
    const currencies = new Set([...shop.lines, ...own].map(({ currency }) => currency));
    views.push(await viewOf(shop, currencies, receiver));
  }
  for (const [i, shop] of shops.entries())
    views[i]?.foreign.push(
      ...(await askForOthers(
        shop,
        views.filter((_, n) => n !== i),
      )),
    );
  return {
    ...stored,
    retention_ms: await retentionOf(world),
    ...{ moved, shops: views, open: await openWork(world), endedByHand: world.endedByHand },
    payouts: payouts.map(({ subject, end, reason }) => ({ subject, end, reason })),
    complaints: [...bank.book.violations, ...receiver.complaints, ...shops.flatMap(({ complaints }) => complaints)],
    leaks: await leaksOf(world, stored),
    verified: await verify(ground.live),
  };
}

/** What the ledger knows of money that entered or left the providers. */
export function readBooked(live: Db): Promise<Booked[]> {
  return live.all<Booked>(sql`
    select j.team_id, coalesce(leg.value->>'provider_key', t.provider_key, a.provider_key) as key, j.kind, j.source_id as subject,
      j.subject_id as payment, p.currency,
      sum(case when p.debit = 'clearing' then p.amount_minor else -p.amount_minor end)::bigint as amount_minor
    from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
      left join attempts a on a.team_id = j.team_id and a.id = j.source_id
      left join transfers t on t.team_id = j.team_id and t.id = j.source_id
      left join refunds r on r.team_id = j.team_id and r.id = j.source_id
      left join lateral (select r.legs->(substring(j.kind from '^refund.leg:([0-9]+)')::integer) as value) leg on true
    where 'clearing' in (p.debit, p.credit)
    group by 1, 2, 3, 4, 5, 6 order by 1, 4, 3`);
}

async function readStore({ ground: { live } }: World) {
  const booked = await readBooked(live);
  const balances = await live.all<Balance>(sql`
    select team_id, currency, account, sum(amount_minor)::bigint as amount_minor from (
      select team_id, currency, account, posted_minor as amount_minor from balances
      union all select team_id, currency, account, amount_minor from balance_deltas
    ) parts group by 1, 2, 3 order by 1, 2, 3`);
  const owners = await live.all<Snapshot['owners'][number]>(sql`
    select id, payment_id as payment, 'attempt' as kind, id as purpose from attempts
    union all select id, payment_id, kind, coalesce(return_id, id) from refunds`);
  const mismatches = await live.all<Snapshot['mismatches'][number]>(sql`
    select id, payment_id as payment, (mismatch->>'amount_minor')::bigint as amount_minor, mismatch->>'currency' as currency
    from attempts where mismatch is not null`);
  const kept = await live.all<Snapshot['kept'][number]>(sql`
    select payment_id as payment, amount_minor from returns where 'kept' = any(resolutions)`);
  const absorbed = await live.all<Snapshot['absorbed'][number]>(sql`
    select payment_id as payment, currency, amount_minor from returns, unnest(resolutions) as r (resolution)
    where resolution = 'absorbed'`);
  const releases = await live.all<Snapshot['releases'][number]>(sql`
    select payment_id as payment, (extract(epoch from max(released_at)) * 1000)::float8 as released_ms
    from settlement_items group by 1 having bool_and(released_at is not null)`);
  const audited = await live.all<Snapshot['audited'][number]>(sql`
    select team_id, action, resource_id as resource, count(*)::integer as times from audit_entries group by 1, 2, 3`);
  const [waiting] = await live.all<{ n: number }>(sql`select count(*)::integer as n from deliveries`);
  return { booked, balances, owners, mismatches, kept, absorbed, releases, audited, undelivered: waiting?.n ?? 0 };
}

async function verify(live: Db): Promise<string[]> {
  const found: string[] = [];
  const report = ({ check, what, expected, found: seen }: Difference | BooksDifference) => {
    found.push(`${check} ${what}: expected ${expected}, found ${seen}`);
  };
  await verifyLedger(live, report);
  await checkBooks(live, report);
  return found;
}

async function retentionOf({ ground }: World): Promise<Snapshot['retention_ms']> {
  for (;;) {
    const settings = await ground.operate(async ({ config }) => config.retention_ms);
    if (settings !== 'lost') return settings;
  }
}

const LISTS = ['payments', 'refunds', 'transfers', 'disputes', 'links', 'invoices'] as const;

async function viewOf(shop: Shop, currencies: ReadonlySet<string>, { endpoints }: Receiver): Promise<ShopView> {
  const totals: Record<string, number> = {};
  const list = (path: string) => listOf(shop, path, totals);
  const accounts = await list('accounts');
  const { team_id, intents, erased, typed, blocked } = shop;
  const lists = Object.fromEntries(await inTurn(LISTS, async (path) => [path, await list(path)] as const));
  const view = {
    ...{ team_id, accounts, totals, intents, typed, blocked, claims: claimsOf(shop) },
    ...(lists as Pick<ShopView, (typeof LISTS)[number]>),
    customers: await list('customers'),
    beneficiaries: await list('beneficiaries'),
    events: (await list('events')).sort((a, b) => a.sequence - b.sequence),
    erased: erased.map(({ customer }) => customer),
    foreign: [],
  };
  return {
    ...view,
    balances: await balancesOf(shop, currencies, accounts),
    retrieved: (
      await inTurn(LISTS, (path) => inTurn(view[path], ({ id }) => shop.get(`/${path}/${id}`).then(resourceOf)))
    ).flat(),
    endpoints: endpoints
      .filter((endpoint) => endpoint.team_id === team_id)
      .map(({ url, events, taken, changed }) => ({ url, events, taken: [...taken.values()], changed })),
  };
}

/** Asks for some resources of each kind that belong to other teams. */
async function askForOthers(shop: Shop, others: readonly ShopView[]): Promise<ShopView['foreign']> {
  const paths = others.flatMap((other) => LISTS.flatMap((list) => other[list].slice(0, 3).map(({ id }) => `/${list}/${id}`)));
  return inTurn(paths, async (path) => ({ path, status: (await shop.insist('GET', path))?.status ?? 0 }));
}

/** One after the other: what is asked at the same time may be answered in any order. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** The resource in an answer, under whichever name. */
function resourceOf(body: Shown): Shown {
  return Object.values(body ?? {}).find((value) => typeof value === 'object') ?? { id: 'nothing' };
}

async function listOf(shop: Shop, path: string, totals: Record<string, number>): Promise<Shown[]> {
  const items: Shown[] = [];
  for (let page = 1; ; page++) {
    const answer = await shop.insist('GET', `/${path}?per_page=100&page=${page}`);
    if (answer?.status !== 200) throw new Error(`/${path} could not be listed: ${answer?.status}`);
    const sequences = answer.headers['x-service-sequence']?.split(', ').map(Number) ?? [];
    items.push(
      ...answer.body.items.map((item: Shown, i: number) => (path === 'events' ? { ...item, sequence: sequences[i] } : item)),
    );
    totals[path] = answer.body.meta.total;
    if (page >= answer.body.meta.last_page) return items;
  }
}

async function balancesOf(shop: Shop, currencies: ReadonlySet<string>, accounts: readonly Shown[]): Promise<Shown[]> {
  const parties = [null, ...accounts.map(({ id }) => id as string)];
  const wanted = parties.flatMap((account) => [...currencies].map((currency) => ({ account, currency })));
  return inTurn(wanted, async ({ account, currency }) => {
    const headers = account === null ? {} : { 'X-Sync': account };
    const answer = await shop.insist('GET', `/balance?currency=${currency}`, { headers });
    return { ...answer?.body.balance, account };
  });
}
