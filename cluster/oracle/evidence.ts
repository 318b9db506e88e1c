import { rowsOf } from '../observer.ts';
import type { Client } from '../load/client.ts';
import type { Merchant } from '../load/merchants.ts';
import type { State } from '../state.ts';
import type { Booked, Listed, Move, StoredEvent } from './judge.ts';
import type { BookedOutgoing, ListedOutgoing } from './outgoing.ts';

const PER_PAGE = 100;
const LIST_MS = 60_000;

/** Lists the payments of one run as the merchants do: over the API, newest first. */
export function listPayments(client: Client, merchants: readonly Merchant[], prefix: string): Promise<Listed[]> {
  return listOfAll<Listed>(client, merchants, '/payments', ({ reference }) => isOf(prefix, reference));
}

/** Lists the refunds and payouts of one run as the merchants do. */
export async function listOutgoing(client: Client, merchants: readonly Merchant[], prefix: string): Promise<ListedOutgoing[]> {
  type Refund = Omit<ListedOutgoing, 'kind' | 'reference'> & { metadata: { order?: string } | null };
  const [refunds, payouts] = await Promise.all([
    listOfAll<Refund>(client, merchants, '/refunds', ({ metadata }) => isOf(prefix, metadata?.order)),
    listOfAll<Omit<ListedOutgoing, 'kind'>>(client, merchants, '/transfers', ({ reference }) => isOf(prefix, reference)),
  ]);
  return [
    ...refunds.map((one) => ({ ...one, kind: 'refund' as const, reference: one.metadata?.order ?? '' })),
    ...payouts.map((one) => ({ ...one, kind: 'payout' as const })),
  ];
}

function isOf(prefix: string, reference: string | null | undefined): boolean {
  return reference?.startsWith(`${prefix}-`) ?? false;
}

/** @param isOwn whether an item is of this run; the runs follow each other, so the first that is not ends the list */
async function listOfAll<Item>(
  client: Client,
  merchants: readonly Merchant[],
  path: string,
  isOwn: (item: Item) => boolean,
): Promise<Item[]> {
  const lists = merchants.map(({ keys }, i) =>
    listOf(client, { path, key: keys[0] as string, ip: `198.51.100.${1 + (i % 250)}` }, isOwn),
  );
  return (await Promise.all(lists)).flat();
}

async function listOf<Item>(
  client: Client,
  { path, ...sender }: { path: string; key: string; ip: string },
  isOwn: (item: Item) => boolean,
): Promise<Item[]> {
  const found: Item[] = [];
  const deadline = performance.now() + LIST_MS;
  for (let page = 1; ; page++) {
    const call = { ...sender, method: 'GET', path: `${path}?per_page=${PER_PAGE}&page=${page}` } as const;
    const answer = await client.insist('list', call, () => performance.now() > deadline);
    if (answer?.status !== 200) throw new Error(`the list ${path} answers ${answer?.status} ${answer?.text}`);
    const { items } = JSON.parse(answer.text) as { items: Item[] };
    found.push(...items.filter(isOwn));
    if (items.length < PER_PAGE || !items.every(isOwn)) return found;
  }
}

/** Reads what the ledger booked for each attempt's payment: postings between the provider (`clearing`) and anyone else. */
export async function readBooked({ owner_urls }: State, prefix: string): Promise<Booked[]> {
  const rows = await rowsOf<Omit<Booked, 'booked_minor'> & { booked: string }>(
    owner_urls.live,
    `select a.payment_id, a.provider_key, a.status in ('created', 'open', 'unknown') and a.next_poll_at is not null as polled, coalesce((
       select sum(case when l.debit = 'clearing' then l.amount_minor else -l.amount_minor end)
       from journals j join postings l on l.team_id = j.team_id and l.journal_id = j.id
       where j.team_id = a.team_id and j.subject_id = a.payment_id and 'clearing' in (l.debit, l.credit)), 0) as booked
     from payments p join attempts a on a.team_id = p.team_id and a.payment_id = p.id
     where p.reference like $1`,
    [`${prefix}-%`],
  );
  return rows.map(({ booked, ...row }) => ({ ...row, booked_minor: Number(booked) }));
}

/**
 * Reads each refund and payout with the keys under which providers may have it, and what the ledger booked for it: postings between
 * the provider (`clearing`) and anyone else.
 */
export async function readOutgoing({ owner_urls }: State, prefix: string): Promise<BookedOutgoing[]> {
  const rows = await rowsOf<Omit<BookedOutgoing, 'booked_minor'> & { booked: string }>(
    owner_urls.live,
    `select o.id, o.payment_id, o.provider_keys, o.polled, coalesce((
       select sum(case when l.debit = 'clearing' then l.amount_minor else -l.amount_minor end)
       from journals j join postings l on l.team_id = j.team_id and l.journal_id = j.id
       where j.team_id = o.team_id and j.source_id = o.id and 'clearing' in (l.debit, l.credit)), 0) as booked
     from (
       select r.team_id, r.id, r.payment_id, array(select leg->>'provider_key' from json_array_elements(r.legs) leg) as provider_keys,
         r.next_poll_at is not null and exists (select from json_array_elements(r.legs) leg where leg->>'status' = 'sent') as polled
       from payments p join refunds r on r.team_id = p.team_id and r.payment_id = p.id where p.reference like $1
       union all
       select team_id, id, null, array[provider_key], next_poll_at is not null and stage = 'dispatched' and dispatched_at is not null
       from transfers where reference like $1) o`,
    [`${prefix}-%`],
  );
  return rows.map(({ booked, ...row }) => ({ ...row, booked_minor: Number(booked) }));
}

/** SQL: team and id of each payment, refund and payout of a run. */
const RESOURCES = `
  select team_id, id from payments where reference like $1
  union all
  select r.team_id, r.id from payments p join refunds r on r.team_id = p.team_id and r.payment_id = p.id where p.reference like $1
  union all
  select team_id, id from transfers where reference like $1`;

export async function readEvents({ owner_urls }: State, prefix: string): Promise<StoredEvent[]> {
  return rowsOf<StoredEvent>(
    owner_urls.live,
    `select e.id, e.type, e.resource_id, e.sequence
     from (${RESOURCES}) one join events e on e.team_id = one.team_id and e.resource_id = one.id`,
    [`${prefix}-%`],
  );
}

/** What is still under way: payments, refunds and payouts that a provider may decide, and events that are to be delivered. */
export async function countOpen({ owner_urls }: State, prefix: string): Promise<number> {
  const rows = await rowsOf<{ open: string }>(
    owner_urls.live,
    `select (select count(*) from payments where reference like $1 and status in ('pending', 'processing'))
          + (select count(*) from payments p join refunds r on r.team_id = p.team_id and r.payment_id = p.id
             where p.reference like $1 and r.status in ('pending', 'processing'))
          + (select count(*) from transfers where reference like $1 and status = 'processing')
          + (select count(*) from deliveries) as open`,
    [`${prefix}-%`],
  );
  return Number(rows[0]?.open);
}

/** Reads the simulators' own books. @param since entries that were created earlier belong to an earlier run */
export async function readMoves({ simulators }: State, since: number): Promise<Move[]> {
  const books = await Promise.all(
    simulators.map(async ({ url }) => {
      const answer = await fetch(`${url}/_simulator/book`);
      return (await answer.json()) as { entries: (Omit<Move, 'amount_minor'> & { amount_minor: string; created_at: number })[] };
    }),
  );
  return books.flatMap(({ entries }) =>
    entries
      .filter(({ created_at }) => created_at >= since)
      .map((entry) => ({ ...entry, amount_minor: Number(entry.amount_minor) })),
  );
}
