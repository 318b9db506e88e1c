import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { pageTail } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { allOf, type Fragment, part, type Queryable, sql } from '../../kit/sql.ts';
import { unpack } from '../../kit/packing.ts';
import type { EventRow, EventsQuery } from './schema.ts';

const DAY_MS = 86_400_000;

export type EventFilters = { [name in 'type' | 'date_from' | 'date_to']?: EventsQuery[name] | undefined };

type StoredRow = Omit<EventRow, 'body'> & { body: Buffer };

const eventOf = (row: StoredRow): EventRow => ({ ...row, body: unpack(row.body) });

export async function findEvent(db: Queryable, team_id: bigint, id: string): Promise<EventRow | undefined> {
  const row = await db.maybe<StoredRow>(
    sql`select team_id, id, type, resource_id, sequence, body from events where team_id = ${team_id} and id = ${id}`,
  );
  return row && eventOf(row);
}

/** Returns one page in query order. Skipped rows are read from the index only; bodies are read only for the page. */
export async function listEvents(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: EventFilters,
  position: Position,
): Promise<EventRow[]> {
  const order = position.kind === 'newer' ? part`id` : part`id desc`;
  const rows = await db.all<StoredRow>(sql`
    select team_id, id, type, resource_id, sequence, body from events where team_id = ${team_id} and id in (
      select id from events where ${conditions(environment, team_id, filters)} ${pageTail(position)}
    ) order by ${order}`);
  return rows.map(eventOf);
}

export async function countEvents(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  filters: EventFilters,
): Promise<number> {
  const row = await db.maybe<{ total: bigint }>(sql`
    select count(*) as total from events where ${conditions(environment, team_id, filters)}`);
  return Number(row?.total ?? 0n);
}

/** Ids sort by time, so a range of days is a range of ids. */
function conditions(environment: Environment, team_id: bigint, { type, date_from, date_to }: EventFilters): Fragment {
  const found = [part`team_id = ${team_id}`];
  if (type) found.push(part`type = ${type}`);
  if (date_from) found.push(part`id >= ${lowestIdAt('evt', environment, Date.parse(date_from))}`);
  if (date_to) found.push(part`id < ${lowestIdAt('evt', environment, Date.parse(date_to) + DAY_MS)}`);
  return allOf(found);
}
