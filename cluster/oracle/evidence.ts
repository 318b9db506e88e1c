import { rowsOf } from '../observer.ts';
import type { Client } from '../load/client.ts';
import type { Merchant } from '../load/merchants.ts';
import type { State } from '../state.ts';
import type { Booked, Listed, Move, StoredEvent } from './judge.ts';

const PER_PAGE = 100;

/** Lists the payments of one run as the merchants do: over the API, newest first. */
export async function listPayments(client: Client, merchants: readonly Merchant[], prefix: string): Promise<Listed[]> {
  const lists = await Promise.all(
    merchants.map((merchant, i) => listOf(client, merchant, prefix, `198.51.100.${1 + (i % 250)}`)),
  );
  return lists.flat();
}

async function listOf(client: Client, { keys }: Merchant, prefix: string, ip: string): Promise<Listed[]> {
  const found: Listed[] = [];
  const deadline = performance.now() + 60_000;
  for (let cursor = ''; ; ) {
    const path = `/payments?per_page=${PER_PAGE}&cursor=${encodeURIComponent(cursor)}`;
    const call = {
      method: 'GET',
      path: cursor === '' ? `/payments?per_page=${PER_PAGE}` : path,
      key: keys[0] as string,
      ip,
    } as const;
    const answer = await client.insist('list', call, () => performance.now() > deadline);
    if (answer?.status !== 200) throw new Error(`the list of payments answers ${answer?.status} ${answer?.text}`);
    const { items, meta } = JSON.parse(answer.text) as {
      items: Listed[];
      meta: { next_cursor?: string | null; last_page?: number };
    };
    found.push(...items.filter(({ reference }) => reference?.startsWith(`${prefix}-`)));
    const isEnd = items.some(({ reference }) => !reference?.startsWith(`${prefix}-`)) || items.length < PER_PAGE;
    if (isEnd) return found;
    // The first page counts by offset; a team has far fewer payments in one run than fit on ten pages.
    if (!meta.next_cursor) return [...found, ...(await offsetPages(client, keys[0] as string, prefix, ip))];
    cursor = meta.next_cursor;
  }
}

async function offsetPages(client: Client, key: string, prefix: string, ip: string): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let page = 2; ; page++) {
    const call = { method: 'GET', path: `/payments?per_page=${PER_PAGE}&page=${page}`, key, ip } as const;
    const answer = await client.insist('list', call, () => false);
    const { items } = JSON.parse(answer?.text ?? '{"items":[]}') as { items: Listed[] };
    found.push(...items.filter(({ reference }) => reference?.startsWith(`${prefix}-`)));
    if (items.length < PER_PAGE || items.some(({ reference }) => !reference?.startsWith(`${prefix}-`))) return found;
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

export async function readEvents({ owner_urls }: State, prefix: string): Promise<StoredEvent[]> {
  return rowsOf<StoredEvent>(
    owner_urls.live,
    `select e.id, e.type, e.resource_id, e.sequence
     from payments p join events e on e.team_id = p.team_id and e.resource_id = p.id
     where p.reference like $1`,
    [`${prefix}-%`],
  );
}

/** What is still under way: payments that a provider may decide, and events that are to be delivered. */
export async function countOpen({ owner_urls }: State, prefix: string): Promise<number> {
  const rows = await rowsOf<{ open: string }>(
    owner_urls.live,
    `select (select count(*) from payments where reference like $1 and status in ('pending', 'processing'))
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
