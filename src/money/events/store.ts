import type { Environment } from '../../kit/environment.ts';
import { type Conditions, conditionsOf, equalTo, withinDays } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { clause, type Fragment, fixed, type Queryable, sql } from '../../kit/sql.ts';
import { unpack } from '../../kit/packing.ts';
import type { EventRow, EventsQuery } from './schema.ts';

const columns = fixed('team_id, id, type, resource_id, sequence, body');

export type EventFilters = { [name in 'type' | 'date_from' | 'date_to']?: EventsQuery[name] | undefined };

type StoredRow = Omit<EventRow, 'body'> & { body: Buffer };

const eventOf = (row: StoredRow): EventRow => ({ ...row, body: unpack(row.body) });

/** Returns an event with its body; undefined when the team has no such event. */
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
  const ids = (rows: Fragment) => clause`select id from events where ${rows}`;
  const page = rowsOfPage(rowsOf(team_id, filtersOf(environment, query)), position, ids);
  const rows = await db.all<StoredRow>(sql`select ${columns} from events where ${page}`);
  return rows.map(eventOf);
}

/** Counts the events that match the filters, in a range of ids. */
export async function countEvents(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: EventFilters,
  ids = ALL_IDS,
): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, filtersOf(environment, query)), ids);
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from (select id from events where ${counted}) counted`);
  return Number(row?.total ?? 0n);
}

/** An event without its body. */
export type EventHead = Omit<EventRow, 'body'> & { created_at: Date };

/** Returns the events of these resources, oldest first, without bodies. Events are deleted after a retention period. */
export function eventsOfResources(
  db: Queryable,
  team_id: bigint,
  resource_ids: readonly string[],
  limit: number,
): Promise<EventHead[]> {
  return db.all<EventHead>(sql`
    select team_id, id, type, resource_id, sequence, created_at from events
    where team_id = ${team_id} and resource_id = any(${resource_ids}::text[]) order by id limit ${limit}`);
}
