import { type Fragment, part, PLANNED_EACH_TIME, type Queryable, sql } from '../../kit/sql.ts';
import { WHOLE } from './alphabet.ts';
import type { Segment } from './build-store.ts';
import { type Corpus, ID_LENGTH } from './searchable.ts';
import type { ListName } from './wanted.ts';

/** The index of a team at one moment. */
export interface Index {
  /** In the order of ids. */
  segments: Segment[];
  /** Ids of rows that changed after their segment was built, in their order. */
  changed: string[];
}

/** Reads the segments and the changed rows of an index in one snapshot. */
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

/** A list of a group of fields in some segments. */
export type AskedList = GroupList & { segments: readonly Segment[] };

/** A list, or all lists of a bucket. */
export interface ReadList {
  list: Buffer;
  /** Ends of the lists in `list`; null when it is one. */
  ends: number[] | null;
}

/**
 * Returns the requested lists of segments, by number of the segment. A bucket without a list of all of its rows is returned whole. Lists
 * without rows are left out.
 * @returns null when one of the segments has been replaced
 */
export async function readLists(
  db: Queryable,
  { team_id, kind }: Corpus,
  lists: readonly AskedList[],
): Promise<Map<number, ReadList>[] | null> {
  const segments = [...new Set(lists.flatMap((list) => list.segments))];
  const rows = await db.all<ReadList & { n: number; segment: number }>(sql`
    select w.n::integer - 1 as n, segment,
      case when at > 0 then substring(lists from start + 1 for ends[at] - start) else lists end as list,
      case when at = 0 then ends end as ends
    from ${wanted(lists)} cross join lateral (
      select p.segment, p.lists, p.ends, at, coalesce(p.ends[at - 1], 0) as start
      from search_postings p cross join lateral strpos(p.thirds, w.third) at
      where p.team_id = ${team_id} and p.kind = ${kind} and p.segment = any(w.segments::integer[])
        and p.field_group = w.field_group and p.bucket = w.bucket and (at > 0 or ascii(w.third) = ${WHOLE}) offset 0
    ) found
    union all
    select -1, count(*)::integer, ''::bytea, null from search_segments
    where team_id = ${team_id} and kind = ${kind} and last_id = any(${segments.map(({ last_id }) => last_id)})
      and segment = any(${segments.map(({ segment }) => segment)}::integer[])${PLANNED_EACH_TIME}`);
  const found = lists.map(() => new Map<number, ReadList>());
  let present = 0;
  for (const { n, segment, ...list } of rows) {
    if (n === -1) present = segment;
    else found[n]?.set(segment, list);
  }
  return present === segments.length ? found : null;
}

/**
 * Returns the lengths in bytes of the requested lists of segments, by number of the segment. Lists without rows are left out, and so is
 * the list of all rows of a bucket if it is not stored.
 */
export async function lengthsOf(
  db: Queryable,
  { team_id, kind }: Corpus,
  lists: readonly AskedList[],
): Promise<Map<number, number>[]> {
  const row = await db.maybe<{ lengths: [number, number, number][] | null }>(sql`
    select json_agg(json_build_array(w.n - 1, p.segment, p.ends[at] - coalesce(p.ends[at - 1], 0))) as lengths
    from ${wanted(lists)} cross join lateral (
      select segment, thirds, ends from search_postings p where p.team_id = ${team_id} and p.kind = ${kind}
        and p.segment = any(w.segments::integer[]) and p.field_group = w.field_group and p.bucket = w.bucket offset 0) p
    cross join lateral strpos(p.thirds, w.third) at where at > 0${PLANNED_EACH_TIME}`);
  const lengths = lists.map(() => new Map<number, number>());
  for (const [n, segment, length] of row?.lengths ?? []) lengths[n]?.set(segment, length);
  return lengths;
}

/**
 * SQL: lists as rows. A subquery with `offset 0` is joined to them by the key of each list. Without it, PostgreSQL would read all buckets
 * of a segment.
 */
function wanted(lists: readonly AskedList[]): Fragment {
  const segments = lists.map((list) => `{${list.segments.map(({ segment }) => segment).join(',')}}`);
  return part`unnest(${lists.map(({ field_group }) => field_group)}::smallint[], ${lists.map(({ bucket }) => bucket)}::text[],
    ${lists.map(({ third }) => third)}::text[], ${segments}::text[]) with ordinality as w (field_group, bucket, third, segments, n)`;
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
