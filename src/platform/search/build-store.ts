import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { MARK_SETTLED, MARK_XID } from '../db/marks.ts';
import type { Bucket } from './bucket.ts';
import type { Corpus } from './searchable.ts';

/** A team's turn to be indexed. */
export interface Claimed extends Corpus {
  /** Number of the claim. A worker commits nothing once another worker has claimed the team. */
  claim: number;
  /** As stored, to detect that the team was made due again meanwhile. */
  due_at: string;
  next_segment: number;
  /** Rows up to this id can be covered; null when a mark is missing or not final yet. */
  final_id: string | null;
  marked_id: string | null;
  /** Last id of the segment that was rebuilt last. */
  rebuilt_id: string | null;
  /** Time of the database, in milliseconds since the epoch. */
  now_ms: number;
}

/** Makes the index of a team due, because it may have new or changed rows. */
export async function makeDue(db: Queryable, { team_id, kind }: Corpus): Promise<void> {
  await db.run(sql`
    insert into search_builds as b (team_id, kind, due_at) values (${team_id}, ${kind}, pirogue_now())
    on conflict (team_id, kind) do update set due_at = least(b.due_at, excluded.due_at)`);
}

const MAX_CHANGED = 100;

/**
 * Makes indexes with recorded changes due, a limited number in each call.
 * @param resting indexes that are not rebuilt now
 * @param after where the last call ended, so that each index has its turn; null: begin
 * @returns where the next call begins
 */
export async function makeChangedDue(db: Queryable, resting: readonly Corpus[], after: Corpus | null): Promise<Corpus | null> {
  const reached = await db.maybe<Corpus>(sql`
    with recursive resting as (
      select * from unnest(${resting.map(({ team_id }) => team_id)}::bigint[], ${resting.map(({ kind }) => kind)}::text[]) as r (team_id, kind)
    ),
    changed as (
      (select team_id, kind, (team_id, kind) in (select * from resting) as rests, 0 as due from search_changed
        where (team_id, kind) > (${after?.team_id ?? 0n}, ${after?.kind ?? ''}) order by team_id, kind limit 1)
      union all
      select next.team_id, next.kind, (next.team_id, next.kind) in (select * from resting), changed.due + (not changed.rests)::integer
      from changed cross join lateral (
        select c.team_id, c.kind from search_changed c where (c.team_id, c.kind) > (changed.team_id, changed.kind)
        order by c.team_id, c.kind limit 1) next
      where changed.due + (not changed.rests)::integer < ${MAX_CHANGED}
    ),
    made as (
      insert into search_builds as b (team_id, kind, due_at) select team_id, kind, pirogue_now() from changed where not rests
      on conflict (team_id, kind) do update set due_at = excluded.due_at where b.due_at is null or b.due_at > excluded.due_at
    )
    select team_id, kind from changed where due + (not rests)::integer >= ${MAX_CHANGED}`);
  return reached ?? null;
}

/** Claims the team that has been due longest. */
export function claimBuild(db: Queryable, kinds: readonly string[], lease_ms: number): Promise<Claimed | undefined> {
  return db.maybe<Claimed>(sql`
    update search_builds set leased_until = pirogue_now() + ${lease_ms} * interval '1 ms', claim = claim + 1
    where (team_id, kind) = (
      select team_id, kind from search_builds
      where due_at <= pirogue_now() and (leased_until is null or leased_until <= pirogue_now()) and kind = any(${[...kinds]})
      order by due_at limit 1 for update skip locked)
    returning team_id, kind, claim, due_at::text, next_segment, marked_id, rebuilt_id,
      case when ${MARK_SETTLED} then marked_id end as final_id,
      (extract(epoch from pirogue_now()) * 1000)::float8 as now_ms`);
}

/**
 * Ends a claim.
 * @param after_ms milliseconds until the team is due again; null: it is not due until {@link makeDue}
 */
export async function endBuild(db: Queryable, claimed: Claimed, after_ms: number | null): Promise<void> {
  await db.run(sql`
    update search_builds set leased_until = null, due_at = case
      when due_at is distinct from ${claimed.due_at}::timestamptz then due_at
      else pirogue_now() + ${after_ms}::float8 * interval '1 ms' end
    where team_id = ${claimed.team_id} and kind = ${claimed.kind} and claim = ${claimed.claim}`);
}

/** Moves the mark. From now on, changes of rows with ids up to it are recorded. */
export async function moveMark(db: Queryable, { team_id, kind, claim }: Claimed, id: string): Promise<void> {
  await db.run(sql`
    update search_builds set marked_id = ${id}, marked_xid = null
    where team_id = ${team_id} and kind = ${kind} and claim = ${claim} and (marked_id is null or marked_id < ${id})`);
}

/**
 * Stores which transactions may not have seen the mark: all with a smaller number than this statement's. It runs as a separate
 * transaction after the commit of {@link moveMark}, so a transaction that read the mark before that commit has a smaller number.
 */
export async function dateMark(db: Queryable, { team_id, kind, claim }: Claimed): Promise<void> {
  await db.run(sql`
    update search_builds set marked_xid = ${MARK_XID}
    where team_id = ${team_id} and kind = ${kind} and claim = ${claim} and marked_xid is null`);
}

/** A segment as stored, without its ids and lists. */
export interface Segment {
  last_id: string;
  segment: number;
  row_count: number;
}

/** Returns the last segment. */
export function newestSegment(db: Queryable, { team_id, kind }: Corpus): Promise<Segment | undefined> {
  return db.maybe<Segment>(sql`
    select last_id, segment, row_count from search_segments where team_id = ${team_id} and kind = ${kind}
    order by last_id desc limit 1`);
}

/** Returns all segments in the order of ids. */
export function segmentsOf(db: Queryable, { team_id, kind }: Corpus): Promise<Segment[]> {
  return db.all<Segment>(sql`
    select last_id, segment, row_count from search_segments where team_id = ${team_id} and kind = ${kind} order by last_id`);
}

/** Returns the ids of segments that follow each other, without their prefix. */
export async function idsOf(db: Queryable, { team_id, kind }: Corpus, segments: readonly Segment[]): Promise<Buffer> {
  const row = await db.maybe<{ ids: Buffer }>(sql`
    select string_agg(ids, ''::bytea order by last_id) as ids from search_segments
    where team_id = ${team_id} and kind = ${kind} and last_id = any(${segments.map(({ last_id }) => last_id)})`);
  return row?.ids ?? Buffer.alloc(0);
}

/** Returns the next buckets of a segment after one, in the order of their groups and names. */
export function bucketsAfter(
  db: Queryable,
  { team_id, kind }: Corpus,
  { segment }: Segment,
  after: { field_group: number; bucket: string },
  limit: number,
): Promise<GroupBucket[]> {
  return db.all<GroupBucket>(sql`
    select field_group, bucket, thirds, ends, lists from search_postings
    where team_id = ${team_id} and kind = ${kind} and segment = ${segment}
      and (field_group, bucket) > (${after.field_group}::smallint, ${after.bucket}::text)
    order by field_group, bucket limit ${limit}`);
}

/** Returns the segment that covers an id, and the last id of the segment before it. */
export function segmentOf(
  db: Queryable,
  { team_id, kind }: Corpus,
  id: string,
): Promise<(Segment & { after: string | null }) | undefined> {
  return db.maybe(sql`
    select s.last_id, s.segment, s.row_count, (
      select max(last_id) from search_segments p where p.team_id = s.team_id and p.kind = s.kind and p.last_id < s.last_id) as after
    from search_segments s where s.team_id = ${team_id} and s.kind = ${kind} and s.last_id >= ${id} order by s.last_id limit 1`);
}

/** A recorded change. */
export interface Change {
  id: string;
  n: bigint;
}

const MAX_CHANGES = 100_000;

/** Returns recorded changes of ids in a range: `after` exclusive (null: from the first), `to` inclusive (null: to the last). */
export function changesIn(
  db: Queryable,
  { team_id, kind }: Corpus,
  after: string | null,
  to: string | null,
  limit = MAX_CHANGES,
): Promise<Change[]> {
  return db.all<Change>(sql`
    select id, n from search_changed
    where team_id = ${team_id} and kind = ${kind} and id > ${after ?? ''} and (${to}::text is null or id <= ${to})
    order by id, n limit ${limit}`);
}

/** Locks the claim until the transaction ends. @returns false when it is over */
export async function lockClaim(tx: Tx, { team_id, kind, claim }: Claimed): Promise<boolean> {
  const held = await tx.maybe(sql`
    select 1 from search_builds where team_id = ${team_id} and kind = ${kind} and claim = ${claim} for update`);
  return held !== undefined;
}

/** Deletes recorded changes. */
export async function deleteChanges(tx: Queryable, { team_id, kind }: Corpus, changes: readonly Change[]): Promise<void> {
  await tx.run(sql`
    delete from search_changed where team_id = ${team_id} and kind = ${kind}
      and (id, n) in (select * from unnest(${changes.map(({ id }) => id)}::text[], ${changes.map(({ n }) => n)}::bigint[]))`);
}

/** Notes up to which id segments with changed rows have been built again. */
export async function setRebuilt(tx: Tx, { team_id, kind }: Corpus, { last_id }: Segment): Promise<void> {
  await tx.run(sql`update search_builds set rebuilt_id = ${last_id} where team_id = ${team_id} and kind = ${kind}`);
}

/** Deletes segments that others replace. */
export async function deleteSegments(tx: Tx, { team_id, kind }: Corpus, segments: readonly Segment[]): Promise<void> {
  if (segments.length === 0) return;
  await tx.run(sql`
    delete from search_segments where team_id = ${team_id} and kind = ${kind} and last_id = any(${segments.map(({ last_id }) => last_id)})`);
  await tx.run(sql`
    delete from search_postings where team_id = ${team_id} and kind = ${kind} and segment = any(${segments.map(({ segment }) => segment)})`);
}

/** Inserts a segment with the ids of its rows, without their prefix. */
export async function insertSegment(tx: Tx, { team_id, kind }: Corpus, segment: Segment, ids: Buffer): Promise<void> {
  await tx.run(sql`
    insert into search_segments (team_id, kind, last_id, segment, row_count, ids)
    values (${team_id}, ${kind}, ${segment.last_id}, ${segment.segment}, ${segment.row_count}, ${ids})`);
  await tx.run(sql`
    update search_builds set next_segment = ${segment.segment + 1} where team_id = ${team_id} and kind = ${kind}`);
}

/** A bucket with the group of its fields. */
export type GroupBucket = Bucket & { field_group: number };

/** Inserts buckets of a segment. */
export async function insertBuckets(
  tx: Tx,
  { team_id, kind }: Corpus,
  segment: number,
  buckets: readonly GroupBucket[],
): Promise<void> {
  await tx.run(sql`
    insert into search_postings (team_id, kind, segment, field_group, bucket, thirds, ends, lists)
    select ${team_id}, ${kind}, ${segment}::integer, b.field_group, b.bucket, b.thirds, b.ends::integer[], b.lists
    from unnest(${buckets.map(({ field_group }) => field_group)}::smallint[], ${buckets.map(({ bucket }) => bucket)}::text[],
      ${buckets.map(({ thirds }) => thirds)}::text[], ${buckets.map(({ ends }) => `{${ends.join(',')}}`)}::text[],
      ${buckets.map(({ lists }) => lists)}::bytea[]) as b (field_group, bucket, thirds, ends, lists)`);
}
