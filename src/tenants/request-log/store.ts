import { clause, fixed, ONE_PLAN, type Queryable, sql } from '../../kit/sql.ts';
import type { MadeRequest, RequestRow } from './schema.ts';

/** A request to be stored, with the id of its row. `request_id` is null where it has the same end as the id of the row. */
export type NewRequest = Omit<MadeRequest, 'environment' | 'own_id' | 'request_id'> & { id: string; request_id: string | null };

const DAY_MS = 24 * 60 * 60_000;

/** A UTC day of a team on which no more requests are stored. */
export interface FullDay {
  team_id: bigint;
  day: Date;
}

/**
 * Stores requests of several teams with one statement, and counts them by team and day. Requests beyond a team's maximum for the day
 * are only counted.
 *
 * Each column is one text, because thousands of requests a second are stored beside them: arrays cost the program twice as much. No
 * value has a line break: each is an id, a fixed word, a number, or was checked character by character.
 * @returns the days that are over their maximum
 */
export function insertRequests(db: Queryable, rows: readonly NewRequest[], max_per_day: number): Promise<FullDay[]> {
  const all = (name: keyof NewRequest) => clause`string_to_array(${rows.map((row) => row[name]).join('\n')}, ${'\n'}, '')`;
  const days = countsOf(rows);
  return db.all<FullDay>(sql`
    with counted as (
      insert into request_log_days as d (team_id, day, requests)
      select team_id, timestamptz 'epoch' + day * interval '1 day', requests
      from unnest(${days.map((one) => one.team_id)}::bigint[], ${days.map((one) => one.day)}::integer[],
        ${days.map((one) => one.requests)}::integer[]) as c (team_id, day, requests)
      on conflict (team_id, day) do update set requests = d.requests + excluded.requests
      returning d.team_id, d.day, d.requests
    ),
    full_days as materialized (select team_id, day from counted where requests > ${max_per_day}),
    stored as (
      insert into request_log (team_id, id, request_id, method, path, status, duration_ms, caller, error_code, created_at)
      select r.* from (
        select team_id::bigint, id, request_id, method, path, status::smallint, duration_ms::integer, caller, error_code,
          timestamptz 'epoch' + at::bigint * interval '1 millisecond' as created_at
        from unnest(${all('team_id')}, ${all('id')}, ${all('request_id')}, ${all('method')}, ${all('path')}, ${all('status')},
          ${all('duration_ms')}, ${all('caller')}, ${all('error_code')}, ${all('at')})
          as given (team_id, id, request_id, method, path, status, duration_ms, caller, error_code, at)) r
      where not exists (
        select from full_days f where f.team_id = r.team_id and r.created_at >= f.day and r.created_at < f.day + interval '1 day')
      -- Sorted by the key: rows sorted by the end of their requests would split pages of its index in the middle.
      order by r.team_id, r.id
    )
    select team_id, day from full_days`);
}

interface DayCount {
  team_id: bigint;
  /** Days since the epoch. */
  day: number;
  requests: number;
}

/** Counts requests by team and day, in the order in which every process locks these rows. */
function countsOf(rows: readonly NewRequest[]): DayCount[] {
  const counts = new Map<string, DayCount>();
  for (const { team_id, at } of rows) {
    const day = Math.floor(at / DAY_MS);
    const name = `${team_id} ${day}`;
    const known = counts.get(name);
    if (known) known.requests++;
    else counts.set(name, { team_id, day, requests: 1 });
  }
  return [...counts.values()].sort((a, b) => Number(a.team_id - b.team_id) || a.day - b.day);
}

/** Filter of the listed requests. */
export interface RequestFilter {
  request_id?: string | undefined;
  method?: string | undefined;
  caller?: string | undefined;
  /** Inclusive. */
  status_from?: number | undefined;
  /** Inclusive. */
  status_to?: number | undefined;
}

/** Part of the log in the order of ids: `than` and `until` are exclusive. */
export interface Stretch {
  direction: 'older' | 'newer';
  than: string;
  until: string;
  limit: number;
}

/** Requests of a stretch that match. */
export interface FoundRequests {
  rows: RequestRow[];
  /** Where the search ended because it had read its maximum of rows; null when it read the whole stretch or found enough. */
  stopped_at: string | null;
}

/** Maximum rows that one page reads, whatever the filter. */
export const MAX_SCANNED = 5_000;

/** Characters of an id after its prefix. */
const ID_CHARS = 26;
/** Status from which a request is in the index of failed ones. */
const FAILED_FROM = 400;

/** Returns the requests of a stretch that match, the nearest first. */
export async function findRequests(
  db: Queryable,
  team_id: bigint,
  filter: RequestFilter,
  { direction, than, until, limit }: Stretch,
): Promise<FoundRequests> {
  const older = direction === 'older';
  const order = fixed(older ? 'desc' : 'asc');
  const place = older ? clause`id < ${than} and id > ${until}` : clause`id > ${than} and id < ${until}`;
  const stretch = clause`team_id = ${team_id} and ${place} and ${(filter.status_from ?? 0) >= FAILED_FROM ? clause`status >= 400` : clause`true`}`;
  // Requests are read until enough match, which is at once when nothing is compared.
  const compared = filter.method !== undefined || filter.caller !== undefined || filter.status_from !== undefined;
  const most = compared ? MAX_SCANNED : limit;
  const read = clause`order by id ${order} limit ${most}`;
  const source =
    filter.request_id === undefined
      ? clause`select * from request_log where ${stretch} ${read}`
      : clause`(select * from request_log where ${stretch} and request_id = ${filter.request_id} ${read})
        union all select * from request_log where ${stretch} and id = ${rowIdOf(than, filter.request_id)}`;
  const found = await db.all<Partial<RequestRow> & { scanned: number; last: string | null }>(sql`${ONE_PLAN}
    with scanned as materialized (${source})
    select f.*, (select count(*)::integer from scanned) as scanned,
      (select id from scanned order by id ${fixed(older ? 'asc' : 'desc')} limit 1) as last
    from (select 1) one left join lateral (
      select id, coalesce(request_id, 'req_' || right(id, 26)) as request_id, method, path, status, duration_ms, caller, error_code, created_at
      from scanned where (${filter.method ?? null}::text is null or method = ${filter.method ?? null})
        and (${filter.caller ?? null}::text is null or caller = ${filter.caller ?? null})
        and status between ${filter.status_from ?? 0} and ${filter.status_to ?? 999}
      order by id ${order} limit ${limit}) f on true`);
  const rows = found.flatMap(({ scanned: _, last: __, ...row }) => (row.id == null ? [] : [row as RequestRow]));
  const { scanned = 0, last = null } = found[0] ?? {};
  return { rows, stopped_at: scanned === most && rows.length < limit ? last : null };
}

/** Returns the id of the row of a request whose id the service chose, in the environment of another row. */
function rowIdOf(row: string, request_id: string): string {
  return row.slice(0, -ID_CHARS) + request_id.slice(-ID_CHARS);
}

/** Returns the UTC days from a moment on for which the log does not have all requests of a team. */
export async function fullDays(db: Queryable, team_id: bigint, from: Date, max_per_day: number): Promise<Date[]> {
  const rows = await db.all<{ day: Date }>(sql`
    select day from request_log_days where team_id = ${team_id} and day >= ${from} and requests > ${max_per_day} order by day`);
  return rows.map(({ day }) => day);
}
