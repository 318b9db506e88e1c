import { retried } from '../../kit/retried.ts';
import type { Queryable } from '../../kit/sql.ts';
import { type CandidateReader, type Candidates, type Covered, isDense, Replaced } from './candidates.ts';
import { countOf, type Positions, positionsIn } from './positions.ts';
import { type Index, readIds } from './search-store.ts';
import type { Corpus } from './searchable.ts';

export type Order = 'newest_first' | 'oldest_first';

/** A range of ids: `after` exclusive, `to` inclusive; null: no bound. */
export interface IdRange {
  after: string | null;
  to: string | null;
}

/** Ids among which matches are read. */
export type Among = IdRange | { ids: readonly string[] };

/** The rows that a list shows: they contain the text and fulfil all other conditions. Their room reads them. */
export interface Matches<Row extends { id: string }> {
  rows(among: Among, order: Order, limit: number): Promise<Row[]>;
  ids(among: Among, order: Order, limit: number): Promise<string[]>;
  /** Returns the number of rows in each range. */
  counts(ranges: readonly IdRange[]): Promise<number[]>;
}

const MAX_TRIES = 5;

/**
 * Runs a search again while a worker replaces a segment that it reads.
 * @param deadline of the request, on the clock of performance.now()
 * @throws Replaced when the deadline has passed, or at the last try
 */
export function searched<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  return retried(MAX_TRIES, (error) => error instanceof Replaced && performance.now() < deadline, work);
}

/** Segments are read in growing numbers: the first few fill the page of a frequent text. */
const FIRST_CHUNK = 8;
const MAX_CHUNK = 64;
/** Number of parts into which a dense segment is divided. */
const PARTS = 4;
const FIRST_BATCH = 64;
const MAX_BATCH = 4_096;
const GROWTH = 4;

/** The index of a team, as one search reads it. */
export interface Searching {
  db: Queryable;
  corpus: Corpus;
  /** The part of an id that the index leaves out. */
  prefix: string;
  index: Index;
  candidates: CandidateReader;
}

/** Returns the segments in the order of ids. */
export function coveredBy({ segments }: Index): Covered[] {
  return segments.map((segment, i) => ({ ...segment, after: segments[i - 1]?.last_id ?? null }));
}

/**
 * Returns a page.
 * @param range range of ids that has all matches
 * @param skip number of matches before the page
 */
export async function pageOf<Row extends { id: string }>(
  searching: Searching,
  matches: Matches<Row>,
  { order, range, skip, limit }: { order: Order; range: IdRange; skip: number; limit: number },
): Promise<Row[]> {
  const page: Row[] = [];
  let left_out = 0;
  for await (const among of piecesOf(searching, order, range)) {
    const missing = limit - page.length;
    if (left_out === skip) page.push(...(await matches.rows(among, order, missing)));
    else {
      const ids = await matches.ids(among, order, skip - left_out + missing);
      const shown = ids.slice(skip - left_out);
      left_out += ids.length - shown.length;
      if (shown.length > 0) page.push(...(await matches.rows({ ids: shown }, order, missing)));
    }
    if (page.length === limit) break;
  }
  return page;
}

/** Yields ranges and lists of ids that together cover all matches, in the order of the page. */
async function* piecesOf(searching: Searching, order: Order, range: IdRange): AsyncGenerator<Among> {
  const covered = coveredBy(searching.index);
  const last = covered.at(-1)?.last_id ?? null;
  const tail = clipped({ after: last, to: null }, range);
  const hasTail = range.to === null || last === null || range.to > last;
  const segments = covered.filter(
    ({ after, last_id }) => (range.after === null || last_id >= range.after) && (range.to === null || (after ?? '') < range.to),
  );
  if (order === 'newest_first') {
    segments.reverse();
    if (hasTail) yield tail;
  }
  for (let from = 0, size = FIRST_CHUNK; from < segments.length; from += size, size = Math.min(size * GROWTH, MAX_CHUNK)) {
    yield* chunk(searching, order, range, segments.slice(from, from + size));
  }
  if (order === 'oldest_first' && hasTail) yield tail;
}

async function* chunk(searching: Searching, order: Order, range: IdRange, segments: Covered[]): AsyncGenerator<Among> {
  const candidates = await searching.candidates.read(order === 'newest_first' ? segments.toReversed() : segments);
  const read = await divided(searching, candidates);
  if (order === 'newest_first') read.reverse();
  for (let from = 0; from < read.length; ) {
    const { dense } = read[from] as Stretch;
    let to = from;
    while (to < read.length && read[to]?.dense === dense) to++;
    const alike = read.slice(from, to);
    if (dense) yield clipped(rangeOf(alike), range);
    else yield* batches(searching, order, range, alike);
    from = to;
  }
}

/** Candidates in a segment or a part of it. */
interface Stretch {
  segment: Covered;
  /** Positions in the segment, of these candidates only. */
  positions: Positions;
  ids: { after: string | null; to: string };
  dense: boolean;
}

const WORD_BITS = 32;

/**
 * Divides dense segments. The rows of a text may lie close together, and a page that begins elsewhere in the segment would read all rows
 * in between.
 * @throws Replaced
 */
async function divided(searching: Searching, candidates: readonly Candidates[]): Promise<Stretch[]> {
  const cuts = candidates.flatMap(({ segment, dense }) =>
    dense ? cutsOf(segment).map((position) => ({ segment, position })) : [],
  );
  const ids = await idsAt(searching, cuts);
  return candidates.flatMap(({ segment, positions, dense }): Stretch[] => {
    const { after, last_id } = segment;
    if (!dense) return [{ segment, positions, ids: { after, to: last_id }, dense }];
    const own = cutsOf(segment);
    const ends = [...ids.splice(0, own.length), last_id];
    return ends.map((to, i) => {
      const first = (own[i - 1] ?? -1) + 1;
      const end = (own[i] ?? segment.row_count - 1) + 1;
      const part = new Uint32Array(positions.length);
      part.set(positions.subarray(first / WORD_BITS, Math.ceil(end / WORD_BITS)), first / WORD_BITS);
      return { segment, positions: part, ids: { after: ends[i - 1] ?? after, to }, dense: isDense(countOf(part), end - first) };
    });
  });
}

/** Returns the last positions of the parts of a segment, but for its last one. Parts begin at whole words of {@link Positions}. */
function cutsOf({ row_count }: Covered): number[] {
  const size = Math.ceil(row_count / PARTS / WORD_BITS) * WORD_BITS;
  return Array.from({ length: Math.ceil(row_count / size) - 1 }, (_, i) => (i + 1) * size - 1);
}

/** Returns the part of a range in which there can be matches: PostgreSQL reads all of a range, also of one that other conditions exclude. */
function clipped({ after, to }: IdRange, within: IdRange): IdRange {
  // The first id of `within` may itself match, and a range is without its first id: this one is shorter, and so before it.
  const before = within.after?.slice(0, -1) ?? null;
  return {
    after: after === null || (before !== null && before > after) ? before : after,
    to: to === null || (within.to !== null && within.to < to) ? within.to : to,
  };
}

/** Returns the range of ids of adjacent stretches. */
function rangeOf(stretches: readonly Stretch[]): { after: string | null; to: string } {
  const [one, other] = [(stretches[0] as Stretch).ids, (stretches.at(-1) as Stretch).ids];
  return one.to < other.to ? { after: one.after, to: other.to } : { after: other.after, to: one.to };
}

/** Yields the candidates of adjacent stretches in growing batches, together with the changed rows between them. */
async function* batches(
  searching: Searching,
  order: Order,
  range: IdRange,
  stretches: readonly Stretch[],
): AsyncGenerator<Among> {
  const newestFirst = order === 'newest_first';
  const changed = changedIn(searching.index, rangeOf(stretches));
  if (newestFirst) changed.reverse();
  const places = stretches.flatMap(({ segment, positions }) => {
    const found = positionsIn(positions);
    return (newestFirst ? found.reverse() : found).map((position) => ({ segment, position }));
  });
  for (let from = 0, size = FIRST_BATCH; from < places.length || changed.length > 0; size = Math.min(size * GROWTH, MAX_BATCH)) {
    const ids = await idsAt(searching, places.slice(from, from + size));
    from += size;
    const end = from < places.length ? (ids.at(-1) as string) : null;
    const beyond = changed.findIndex((id) => end !== null && (newestFirst ? id < end : id > end));
    ids.push(...changed.splice(0, beyond === -1 ? changed.length : beyond));
    const inside = ids.filter((id) => (range.after === null || id >= range.after) && (range.to === null || id <= range.to));
    if (inside.length > 0) yield { ids: inside };
  }
}

/** Returns the changed ids in a range, in their order. */
export function changedIn({ changed }: Index, { after, to }: { after: string | null; to: string }): string[] {
  return changed.filter((id) => (after === null || id > after) && id <= to);
}

/** @throws Replaced */
export async function idsAt(
  { db, corpus, prefix }: Searching,
  places: readonly { segment: Covered; position: number }[],
): Promise<string[]> {
  if (places.length === 0) return [];
  const bySegment = Map.groupBy(places, ({ segment }) => segment);
  const asked = [...bySegment].map(([segment, all]) => ({ segment, positions: all.map(({ position }) => position) }));
  const ids = await readIds(db, corpus, asked);
  if (!ids) throw new Replaced();
  return ids.map((id) => prefix + id);
}
