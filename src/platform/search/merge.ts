import type { Queryable } from '../../kit/sql.ts';
import { WHOLE } from './alphabet.ts';
import { type Bucket, bucketOf } from './bucket.ts';
import { bucketsAfter, type GroupBucket, idsOf, type Segment } from './build-store.ts';
import { inBatches, type Part } from './part.ts';
import { Appended, Bytes } from './positions.ts';
import type { Corpus } from './searchable.ts';

/** Minimum share of the maximum rows in a merged segment, so that a row is written to a larger segment once. */
const FULL = 7 / 8;
const READ_BUCKETS = 256;

/**
 * Returns the oldest segments that follow each other and together fill a merged one; null when there are none.
 * @param segments in the order of ids
 */
export function mergeable(segments: readonly Segment[], max_rows: number): Segment[] | null {
  for (let from = 0; from < segments.length; from++) {
    let to = from;
    let rows = 0;
    while (to < segments.length && rows + (segments[to] as Segment).row_count <= max_rows)
      rows += (segments[to++] as Segment).row_count;
    if (to - from > 1 && rows >= max_rows * FULL) return segments.slice(from, to);
  }
  return null;
}

/** Returns one segment in place of several adjacent ones, equal to what {@link PartBuilder} would make of their rows. */
export async function mergedPart(
  db: Queryable,
  corpus: Corpus,
  segments: readonly Segment[],
  pause: () => Promise<void>,
): Promise<Part> {
  return {
    last_id: (segments.at(-1) as Segment).last_id,
    row_count: segments.reduce((sum, { row_count }) => sum + row_count, 0),
    ids: await idsOf(db, corpus, segments),
    batches: await inBatches(mergedBuckets(db, corpus, segments, pause)),
  };
}

/** The buckets of one segment, while they are merged with those of others. */
interface Source {
  rows: number;
  /** Rows of the segments before it. */
  offset: number;
  buckets: AsyncGenerator<GroupBucket>;
  /** The next one; undefined after the last. */
  next: GroupBucket | undefined;
}

async function* mergedBuckets(
  db: Queryable,
  corpus: Corpus,
  segments: readonly Segment[],
  pause: () => Promise<void>,
): AsyncGenerator<GroupBucket> {
  const sources: Source[] = [];
  const encoded = new Bytes();
  let rows = 0;
  for (const segment of segments) {
    sources.push({ rows: segment.row_count, offset: rows, buckets: bucketsIn(db, corpus, segment), next: undefined });
    rows += segment.row_count;
  }
  for (const source of sources) await advance(source);
  for (;;) {
    const first = sources.reduce<GroupBucket | undefined>((least, { next }) => (isBefore(next, least) ? next : least), undefined);
    if (!first) return;
    const { field_group, bucket } = first;
    const same = sources.filter(({ next }) => next?.bucket === bucket && next.field_group === field_group);
    yield { ...merged(bucket, same, rows, encoded), field_group };
    for (const source of same) await advance(source);
    await pause();
  }
}

async function* bucketsIn(db: Queryable, corpus: Corpus, segment: Segment): AsyncGenerator<GroupBucket> {
  let last = { field_group: -1, bucket: '' };
  for (;;) {
    const buckets = await bucketsAfter(db, corpus, segment, last, READ_BUCKETS);
    yield* buckets;
    if (buckets.length < READ_BUCKETS) return;
    last = buckets.at(-1) as GroupBucket;
  }
}

async function advance(source: Source): Promise<void> {
  const { value, done } = await source.buckets.next();
  source.next = done ? undefined : value;
}

/** PostgreSQL orders the names of buckets by their bytes, and so does JavaScript: none has a character of a surrogate pair. */
function isBefore(one: GroupBucket | undefined, other: GroupBucket | undefined): boolean {
  if (!one || !other) return one !== undefined;
  return one.field_group < other.field_group || (one.field_group === other.field_group && one.bucket < other.bucket);
}

/** Positions of the bucket being merged. One buffer is enough, because merging a bucket does not await anything. */
const positions = new Appended();

/**
 * @param rows of the merged segment
 * @param encoded memory of this merge
 */
function merged(bucket: string, sources: readonly Source[], rows: number, encoded: Bytes): Bucket {
  positions.length = 0;
  const lists = thirdsIn(bucket, sources).map((third) => {
    const start = positions.length;
    const character = String.fromCharCode(third);
    for (const { next, rows: own, offset } of sources) {
      const { thirds, ends, lists: bytes } = next as GroupBucket;
      const i = thirds.indexOf(character);
      if (i >= 0) positions.append(bytes.subarray(ends[i - 1] ?? 0, ends[i]), own, offset);
    }
    return { third, start, end: positions.length };
  });
  return bucketOf(
    bucket,
    lists.map(({ third, start, end }) => ({ third, positions: positions.between(start, end) })),
    rows,
    encoded,
  );
}

/** Returns the third characters of a bucket in order. */
function thirdsIn(bucket: string, sources: readonly Source[]): number[] {
  const thirds = new Set<number>();
  for (const { next } of sources) for (const character of (next as GroupBucket).thirds) thirds.add(character.charCodeAt(0));
  // The list of a whole bucket follows from the others, except in a bucket of one character, which has no other.
  if (bucket.length > 1) thirds.delete(WHOLE);
  return [...thirds].sort((a, b) => a - b);
}
