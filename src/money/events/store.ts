import type { Environment } from '../../kit/environment.ts';
import { type Conditions, conditionsOf, equalTo, withinDays } from '../../kit/list-filters.ts';
import { countOrder, ALL_IDS, pageTail, planOf, within } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, clause, type Fragment, fixed, type Queryable, sql } from '../../kit/sql.ts';
import { unpack } from '../../kit/packing.ts';
import type { EventRow, EventsQuery } from './schema.ts';

const columns = fixed('team_id, id, type, resource_id, sequence, body');

export type EventFilters = { [name in 'type' | 'date_from' | 'date_to']?: EventsQuery[name] | undefined };

type StoredRow = Omit<EventRow, 'body'> & { body: Buffer };

const eventOf = (row: StoredRow): EventRow => ({ ...row, body: unpack(row.body) });

export async function findEvent(db: Queryable, team_id: bigint, id: string): Promise<EventRow | undefined> {
  const row = await db.maybe<StoredRow>(sql`select ${columns} from events where team_id = ${team_id} and id = ${id}`);
  return row && eventOf(row);
}

function filtersOf(environment: Environment, query: EventFilters): Fragment[] {
  const conditions: Conditions<EventFilters> = { type: equalTo('type'), ...withinDays('evt', environment) };
  return conditionsOf(query, conditions);
}

/** Returns one page in query order. */
export async function listEvents(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: EventFilters,
  position: Position,
): Promise<EventRow[]> {
  const filters = filtersOf(environment, query);
  const conditions = allOf([clause`team_id = ${team_id}`, ...filters]);
  const end = clause`${pageTail(position)}${planOf(filters)}`;
  if (position.kind !== 'offset' || position.page === 1) {
    return (await db.all<StoredRow>(sql`select ${columns} from events where ${conditions} ${end}`)).map(eventOf);
  }
  // The skipped rows are read from the index only. By a range and not by a lookup of each id: a plan made for an empty table would take
  // any index with the columns of a lookup.
  const { page, per_page } = position;
  const first = clause`select id from events where ${conditions} order by id desc limit 1 offset ${(page - 1) * per_page}`;
  const rows = await db.all<StoredRow>(sql`
    select ${columns} from events where ${conditions} and id <= (${first})
    ${pageTail({ kind: 'offset', page: 1, per_page })}${planOf(filters)}`);
  return rows.map(eventOf);
}

export async function countEvents(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: EventFilters,
  ids = ALL_IDS,
): Promise<number> {
  const filters = filtersOf(environment, query);
  const conditions = allOf([clause`team_id = ${team_id}`, ...filters]);
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (
      select id from events where ${conditions} ${within(ids)} ${countOrder(filters)}) counted${planOf(filters)}`);
  return Number(row?.total ?? 0n);
}
