import { PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import type { Segment } from './build-store.ts';
import { type Corpus, ID_LENGTH } from './searchable.ts';
import type { ListName } from './wanted.ts';

/** The index of a team at one moment. */
export interface Index {
  /** In the order of ids. */
  segments: Segment[];
  /** Ids of rows for which the segments are not true, in their order. */
  changed: string[];
}

export async function readIndex(db: Queryable, { team_id, kind }: Corpus): Promise<Index> {
  const row = await db.maybe<{ segments: [string, number, number][]; changed: string[] }>(sql`
    select
      (select coalesce(json_agg(json_build_array(last_id, segment, row_count) order by last_id), '[]')
        from search_segments where team_id = ${team_id} and kind = ${kind}) as segments,
      (select coalesce(array_agg(id order by id), '{}')
        from (select distinct id from search_changed where team_id = ${team_id} and kind = ${kind}) c) as changed`);
  const segments = (row?.segments ?? []).map(([last_id, segment, row_count]) => ({ last_id, segment, row_count }));
  return { segments, changed: row?.changed ?? [] };
}

/** A list of a group of fields. */
export type GroupList = ListName & { field_group: number };

/** A list, or all lists of a bucket. */
export interface ReadList {
  /** Number of the list among those that were asked for. */
  n: number;
  segment: number;
  list: Buffer;
  /** Ends of the lists in `list`; null when it is one. */
  ends: number[] | null;
}

/**
 * Returns lists of segments. A bucket without a list of all of its rows is returned whole. Lists without rows are left out.
 * @returns null when one of the segments has been replaced
 */
export async function readLists(
  db: Queryable,
  { team_id, kind }: Corpus,
  segments: readonly Segment[],
  lists: readonly GroupList[],
): Promise<ReadList[] | null> {
  const numbers = segments.map(({ segment }) => segment);
  const rows = await db.all<ReadList>(sql`
    with wanted as materialized (
      select n::integer, field_group, bucket, third, ascii(third) = 2 as of_bucket from unnest(
        ${lists.map(({ field_group }) => field_group)}::smallint[], ${lists.map(({ bucket }) => bucket)}::text[],
        ${lists.map(({ third }) => third)}::text[]) with ordinality as w (field_group, bucket, third, n)
    )
    select n - 1 as n, segment,
      case when at > 0 then substring(lists from start + 1 for ends[at] - start) else lists end as list,
      case when at = 0 then ends end as ends
    from wanted w cross join lateral (
      select p.segment, p.lists, p.ends, at, coalesce(p.ends[at - 1], 0) as start
      from search_postings p cross join lateral strpos(p.thirds, w.third) at
      where p.team_id = ${team_id} and p.kind = ${kind} and p.segment = any(${numbers}::integer[])
        and p.field_group = w.field_group and p.bucket = w.bucket and (at > 0 or w.of_bucket)
    ) found
    union all
    select -1, count(*)::integer, ''::bytea, null from search_segments
    where team_id = ${team_id} and kind = ${kind} and last_id >= ${segments[0]?.last_id} and last_id <= ${segments.at(-1)?.last_id}
      and segment = any(${numbers}::integer[])${PLANNED_EACH_TIME}`);
  const present = rows.find(({ n }) => n === -1)?.segment;
  return present === segments.length ? rows.filter(({ n }) => n >= 0) : null;
}

/** Returns the length of each list of a segment in bytes; 0 without rows. */
export async function lengthsOf(
  db: Queryable,
  { team_id, kind }: Corpus,
  { segment }: Segment,
  lists: readonly GroupList[],
): Promise<number[]> {
  const rows = await db.all<{ n: number; length: number }>(sql`
    select n::integer - 1 as n, p.ends[at] - coalesce(p.ends[at - 1], 0) as length
    from unnest(${lists.map(({ field_group }) => field_group)}::smallint[], ${lists.map(({ bucket }) => bucket)}::text[],
      ${lists.map(({ third }) => third)}::text[]) with ordinality as w (field_group, bucket, third, n)
    cross join lateral (select thirds, ends from search_postings p where p.team_id = ${team_id} and p.kind = ${kind}
      and p.segment = ${segment} and p.field_group = w.field_group and p.bucket = w.bucket) p
    cross join lateral strpos(p.thirds, w.third) at where at > 0${PLANNED_EACH_TIME}`);
  const lengths = lists.map(() => 0);
  for (const { n, length } of rows) lengths[n] = length;
  return lengths;
}

/** Positions in a segment. */
export interface Places {
  segment: Segment;
  positions: readonly number[];
}

/**
 * Returns the ids at positions of segments, without their prefix, in the given order.
 * @returns null when one of the segments has been replaced
 */
export async function readIds(db: Queryable, { team_id, kind }: Corpus, places: readonly Places[]): Promise<string[] | null> {
  const row = await db.maybe<{ ids: string | null }>(sql`
    select string_agg(found.ids, '' order by w.n) as ids
    from unnest(${places.map(({ segment }) => segment.last_id)}::text[], ${places.map(({ segment }) => segment.segment)}::integer[],
      ${places.map(({ positions }) => `{${positions.join(',')}}`)}::text[]) with ordinality as w (last_id, segment, positions, n)
    join search_segments s on s.team_id = ${team_id} and s.kind = ${kind} and s.last_id = w.last_id and s.segment = w.segment
    cross join lateral (
      select string_agg(convert_from(substring(s.ids from position * 26 + 1 for 26), 'SQL_ASCII'), '' order by o) as ids
      from unnest(w.positions::integer[]) with ordinality as p (position, o)) found${PLANNED_EACH_TIME}`);
  const text = row?.ids ?? '';
  const count = places.reduce((sum, { positions }) => sum + positions.length, 0);
  if (text.length !== count * ID_LENGTH) return null;
  return Array.from({ length: count }, (_, i) => text.slice(i * ID_LENGTH, (i + 1) * ID_LENGTH));
}
