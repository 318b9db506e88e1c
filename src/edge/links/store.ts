import { jsonText } from '../../kit/json.ts';
import { type Conditions, conditionsOf, containing, equalTo } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { type Fragment, fixed, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { ListSearcher } from '../../platform/search/list.ts';
import type { Searchable } from '../../platform/search/searchable.ts';
import { notAmong } from '../../platform/work/row-sweep.ts';
import type { LinkRow } from './schema.ts';

const columns = fixed(`team_id, id, title, description, reference, amount_minor, min_amount_minor, max_amount_minor, currency,
  status, expires_at, max_uses, collect, callback, theming, metadata, made_count, open_count, held_count, succeeded_count, collected_minor,
  event_count, created_at, updated_at`);

export interface LinkRef {
  team_id: bigint;
  id: string;
}

// -------------------------------------------------------------------------------------------------- read
/** Returns a link by id. */
export function findLink(db: Queryable, ref: LinkRef): Promise<LinkRow | undefined> {
  return db.maybe<LinkRow>(sql`select ${columns} from links where team_id = ${ref.team_id} and id = ${ref.id}`);
}

/** Returns the link, locked until the transaction ends. */
export function lockLink(tx: Tx, ref: LinkRef): Promise<LinkRow | undefined> {
  return tx.maybe<LinkRow>(sql`select ${columns} from links where team_id = ${ref.team_id} and id = ${ref.id} for update`);
}

export interface LinkFilters {
  search?: string | undefined;
  status?: string | undefined;
}

const SEARCHED = ['id', 'reference', 'title', 'description'];

/** Payment links for the search index. */
export const SEARCHABLE_LINKS: Searchable = {
  ...{ kind: 'links', prefix: 'lnk', table: 'links', id: 'id' },
  groups: [SEARCHED],
};

/** Creates the searcher of payment links. */
export function linkSearcher(): ListSearcher<LinkRow> {
  return new ListSearcher(SEARCHABLE_LINKS, { from: 'links', ids: ['id'], columns });
}

const CONDITIONS: Conditions<LinkFilters> = { status: equalTo('status'), search: containing(SEARCHED) };

/** Returns the conditions of a list besides its team. */
export function linkConditions(query: LinkFilters): Fragment[] {
  return conditionsOf(query, CONDITIONS);
}

/** Returns one page, in the order of the list. */
export function listLinks(db: Queryable, team_id: bigint, query: LinkFilters, position: Position): Promise<LinkRow[]> {
  const page = rowsOfPage(rowsOf(team_id, linkConditions(query)), position);
  return db.all<LinkRow>(sql`select ${columns} from links where ${page}`);
}

/** Counts the links that match the query, within a range of ids. */
export async function countLinks(db: Queryable, team_id: bigint, query: LinkFilters, ids = ALL_IDS): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, linkConditions(query)), ids);
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from links where ${counted}) counted`);
  return Number(row?.total ?? 0n);
}

/**
 * Returns active links past their expiry, locked for this transaction. Rows that another worker has locked are skipped.
 * @param except rows to leave out
 */
export function lockOverdue(tx: Tx, now: Date, limit: number, except: readonly LinkRef[]): Promise<LinkRow[]> {
  return tx.all<LinkRow>(sql`
    select ${columns} from links where status = 'active' and expires_at <= ${now} ${notAmong(except)}
    order by expires_at limit ${limit} for update skip locked${PLANNED_EACH_TIME}`);
}

// ------------------------------------------------------------------------------------------------- write
/** Inserts a link. @param by API key and request that created it */
export async function insertLink(tx: Tx, row: LinkRow, by: { key_id: string; request_id: string }): Promise<void> {
  await tx.run(sql`
    insert into links (team_id, id, title, description, reference, amount_minor, min_amount_minor, max_amount_minor, currency, status,
      expires_at, max_uses, collect, callback, theming, metadata, event_count, key_id, request_id, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.title}, ${row.description}, ${row.reference}, ${row.amount_minor},
      ${row.min_amount_minor}, ${row.max_amount_minor}, ${row.currency}, ${row.status}, ${row.expires_at}, ${row.max_uses},
      ${row.collect}, ${row.callback}, ${json(row.theming)}, ${json(row.metadata)}, ${row.event_count}, ${by.key_id},
      ${by.request_id}, ${row.created_at}, ${row.updated_at})`);
}

/**
 * Writes every column that a merchant or a sweep can change. The counters change by {@link countMade} and {@link countMoved}.
 */
export async function updateLink(tx: Tx, row: LinkRow): Promise<void> {
  await tx.run(sql`
    update links set title = ${row.title}, description = ${row.description}, reference = ${row.reference},
      amount_minor = ${row.amount_minor}, min_amount_minor = ${row.min_amount_minor}, max_amount_minor = ${row.max_amount_minor},
      status = ${row.status}, expires_at = ${row.expires_at}, max_uses = ${row.max_uses}, collect = ${row.collect},
      callback = ${row.callback}, theming = ${json(row.theming)}, metadata = ${json(row.metadata)},
      event_count = ${row.event_count}, updated_at = ${row.updated_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

/** Marks links as expired, in one statement. */
export async function expireLinks(tx: Tx, rows: readonly LinkRow[]): Promise<void> {
  await tx.run(sql`
    update links l set status = 'expired', event_count = u.event_count, updated_at = u.updated_at
    from json_to_recordset(${jsonText(rows.map(({ team_id, id, event_count, updated_at }) => ({ team_id, id, event_count, updated_at })))}::json)
      as u(team_id bigint, id text, event_count integer, updated_at timestamptz)
    where l.team_id = u.team_id and l.id = u.id`);
}

/** Counts a new payment. It takes no use before it is charged. */
export async function countMade(tx: Tx, { team_id, id }: LinkRef): Promise<void> {
  await tx.run(sql`
    update links set made_count = made_count + 1, open_count = open_count + 1 where team_id = ${team_id} and id = ${id}`);
}

/** Takes a use for a payment. The caller holds the link's lock. */
export async function takeUse(tx: Tx, { team_id, id }: LinkRef, payment_id: string): Promise<void> {
  await tx.run(sql`insert into link_uses (team_id, payment_id, link_id) values (${team_id}, ${payment_id}, ${id})`);
  await tx.run(sql`update links set held_count = held_count + 1 where team_id = ${team_id} and id = ${id}`);
}

/** Returns whether a payment holds a use of its link. The caller holds the payment's lock. */
export async function holdsUse(tx: Tx, { team_id, id }: { team_id: bigint; id: string }): Promise<boolean> {
  const row = await tx.maybe(sql`select 1 from link_uses where team_id = ${team_id} and payment_id = ${id}`);
  return row !== undefined;
}

/** A payment of a link that is no longer being charged. */
export interface Counted extends LinkRef {
  payment_id: string;
  /** 1 when it is no longer open, else 0. */
  ended: 0 | 1;
  succeeded: 0 | 1;
  /** Collected amount in hundredths. */
  collected_minor: bigint;
}

/**
 * Deletes the uses that the payments have taken, and updates the counters. Locks the links in the order of their ids, which
 * prevents deadlocks. A success without a use is counted as late.
 */
export async function countMoved(tx: Tx, counted: readonly Counted[]): Promise<void> {
  await tx.run(sql`
    select 1 from links where (team_id, id) in (
      select * from unnest(${counted.map(({ team_id }) => team_id)}::bigint[], ${counted.map(({ id }) => id)}::text[])
    ) order by team_id, id for update`);
  await tx.run(sql`
    with moved as (
      select * from json_to_recordset(${jsonText(counted)}::json)
        as m(team_id bigint, id text, payment_id text, ended integer, succeeded integer, collected_minor bigint)
    ), given as (
      delete from link_uses u using moved m where u.team_id = m.team_id and u.payment_id = m.payment_id
      returning u.team_id, u.payment_id
    ), sums as (
      select m.team_id, m.id, sum(m.ended) as ended, sum(m.succeeded) as succeeded, sum(m.collected_minor) as collected_minor,
        count(g.payment_id) as given, coalesce(sum(m.succeeded) filter (where g.payment_id is null), 0) as late
      from moved m left join given g on g.team_id = m.team_id and g.payment_id = m.payment_id
      group by m.team_id, m.id
    )
    update links l set open_count = open_count - s.ended, succeeded_count = succeeded_count + s.succeeded,
      collected_minor = l.collected_minor + s.collected_minor, held_count = held_count - s.given, late_count = late_count + s.late
    from sums s where l.team_id = s.team_id and l.id = s.id`);
}

function json(value: object | null): string | null {
  return value && JSON.stringify(value);
}
