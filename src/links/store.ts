import { jsonText } from '../kit/json.ts';
import { pageTail } from '../kit/pages.ts';
import type { Position } from '../kit/paging.ts';
import { allOf, type Fragment, fixed, part, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../kit/sql.ts';
import type { LinkRow } from './schema.ts';

const columns = fixed(`team_id, id, title, description, reference, amount_minor, min_amount_minor, max_amount_minor, currency,
  status, expires_at, max_uses, collect, callback, theming, metadata, made_count, open_count, succeeded_count, collected_minor,
  event_count, created_at, updated_at`);

export interface LinkRef {
  team_id: bigint;
  id: string;
}

// -------------------------------------------------------------------------------------------------- read
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

/** Returns one page, in the order of the list. */
export function listLinks(db: Queryable, team_id: bigint, filters: LinkFilters, position: Position): Promise<LinkRow[]> {
  return db.all<LinkRow>(sql`select ${columns} from links where ${conditions(team_id, filters)} ${pageTail(position)}`);
}

export async function countLinks(db: Queryable, team_id: bigint, filters: LinkFilters): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`select count(*) as total from links where ${conditions(team_id, filters)}`);
  return Number(row?.total ?? 0n);
}

function conditions(team_id: bigint, { search, status }: LinkFilters): Fragment {
  const found = [part`team_id = ${team_id}`];
  if (status) found.push(part`status = ${status}`);
  if (search) {
    const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    found.push(part`(id ilike ${like} or reference ilike ${like} or title ilike ${like} or description ilike ${like})`);
  }
  return allOf(found);
}

/** Returns active links past their expiry, locked for this transaction. Rows that another worker has locked are skipped. */
export function lockOverdue(tx: Tx, now: Date, limit: number): Promise<LinkRow[]> {
  return tx.all<LinkRow>(sql`
    select ${columns} from links where status = 'active' and expires_at <= ${now}
    order by expires_at limit ${limit} for update skip locked${PLANNED_EACH_TIME}`);
}

// ------------------------------------------------------------------------------------------------- write
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

/** Counts a new payment, which reserves a use until it ends. */
export async function countMade(tx: Tx, { team_id, id }: LinkRef): Promise<void> {
  await tx.run(sql`
    update links set made_count = made_count + 1, open_count = open_count + 1 where team_id = ${team_id} and id = ${id}`);
}

/** Ended payments of one link, to be added to its counters. */
export interface Tally extends LinkRef {
  /** Payments that are no longer open. */
  ended: number;
  succeeded: number;
  collected_minor: bigint;
}

/** Locks the links in the order of their ids, which prevents deadlocks, and updates the counters. */
export async function countMoved(tx: Tx, tallies: readonly Tally[]): Promise<void> {
  await tx.run(sql`
    select 1 from links where (team_id, id) in (
      select * from unnest(${tallies.map(({ team_id }) => team_id)}::bigint[], ${tallies.map(({ id }) => id)}::text[])
    ) order by team_id, id for update`);
  await tx.run(sql`
    update links l set open_count = open_count - u.ended, succeeded_count = succeeded_count + u.succeeded,
      collected_minor = l.collected_minor + u.collected_minor
    from json_to_recordset(${jsonText(tallies)}::json)
      as u(team_id bigint, id text, ended integer, succeeded integer, collected_minor bigint)
    where l.team_id = u.team_id and l.id = u.id`);
}

function json(value: object | null): string | null {
  return value && JSON.stringify(value);
}
