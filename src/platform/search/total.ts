import { invalid, type Problem } from '../../kit/errors.ts';
import type { Candidates, Covered } from './candidates.ts';
import { positionsIn } from './positions.ts';
import { changedIn, coveredBy, type IdRange, idsAt, type Matches, type Searching } from './search.ts';

/** Matches in a range of ids. */
export interface Part {
  range: IdRange;
  count: number;
}

/** Known counts by number of the segment. A segment does not change, and changes of its rows are recorded. */
export type Known = Map<number, number>;

const MAX_KNOWN = 200;

/** Keeps the counts of the latest searches, so that their next pages do not count again. */
export class KnownCounts {
  readonly #known = new Map<string, Known>();

  /** @param name identifies the team, what is searched, and the text */
  of(name: string): Known {
    const known = this.#known.get(name) ?? new Map();
    this.#known.delete(name);
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(name, known);
    return known;
  }
}

export interface Counting {
  /** Range of ids that has all matches. */
  range: IdRange;
  /** Whether the list has no condition besides the text and the range. */
  only_text: boolean;
  known: Known;
  /** Deadline on the clock of performance.now(). */
  deadline: number;
}

/** Segments whose lists are read together. */
const CHUNK = 64;
/** Ranges that are counted by one statement: 130,000 rows. */
const RANGES = 2;
const BATCH = 4_096;

/**
 * Counts the matches.
 * @returns the counts of the rows that no segment covers, then of the segments, the newest first
 * @throws Problem 422 when it takes longer than the deadline; segments that were counted to their end are kept for the next request
 */
export async function countParts<Row extends { id: string }>(
  searching: Searching,
  matches: Matches<Row>,
  counting: Counting,
): Promise<Part[]> {
  const covered = coveredBy(searching.index);
  const tail = { after: covered.at(-1)?.last_id ?? null, to: null };
  const [tail_count = 0] = await matches.counts([tail]);
  const parts: Part[] = [{ range: tail, count: tail_count }];
  const { after, to } = counting.range;
  const segments = covered.filter((one) => (after === null || one.last_id >= after) && (to === null || (one.after ?? '') < to));
  for (let end = segments.length; end > 0; end -= CHUNK) {
    const chunk = segments.slice(Math.max(0, end - CHUNK), end);
    const counts = await new Chunk(searching, matches, counting).count(chunk);
    parts.push(
      ...chunk.map((one) => ({ range: { after: one.after, to: one.last_id }, count: counts.get(one.segment) ?? 0 })).reverse(),
    );
  }
  return parts;
}

class Chunk<Row extends { id: string }> {
  readonly #searching: Searching;
  readonly #matches: Matches<Row>;
  readonly #counting: Counting;
  readonly #counts = new Map<number, number>();

  constructor(searching: Searching, matches: Matches<Row>, counting: Counting) {
    this.#searching = searching;
    this.#matches = matches;
    this.#counting = counting;
  }

  /** @returns counts by number of the segment */
  async count(segments: readonly Covered[]): Promise<ReadonlyMap<number, number>> {
    const { known } = this.#counting;
    const unknown = segments.filter((one) => !this.#isPure(one) || !known.has(one.segment));
    for (const { segment } of segments) this.#counts.set(segment, known.get(segment) ?? 0);
    const read = await this.#searching.candidates.read(unknown);
    const { exact } = this.#searching.candidates;
    const compared = read.filter(({ segment, count }) => {
      this.#counts.set(segment.segment, count);
      if (!exact || !this.#isPure(segment)) return true;
      this.#keep(segment);
      return false;
    });
    await this.#countDense(compared.filter(({ dense }) => dense));
    await this.#countSparse(compared.filter(({ dense }) => !dense));
    return this.#counts;
  }

  /** Keeps the count of a segment that is counted to its end: the rest of the chunk may take too long. */
  #keep(segment: Covered): void {
    if (this.#isPure(segment)) this.#counting.known.set(segment.segment, this.#counts.get(segment.segment) as number);
  }

  /** Returns whether the count of a segment depends only on the text and the segment. */
  #isPure(segment: Covered): boolean {
    const { only_text, range } = this.#counting;
    const isInside =
      (range.after === null || (segment.after !== null && segment.after >= range.after)) &&
      (range.to === null || segment.last_id < range.to);
    return only_text && isInside && changedIn(this.#searching.index, { after: segment.after, to: segment.last_id }).length === 0;
  }

  async #countDense(dense: readonly Candidates[]): Promise<void> {
    for (let from = 0; from < dense.length; from += RANGES) {
      this.#checkDeadline();
      const segments = dense.slice(from, from + RANGES).map(({ segment }) => segment);
      const counts = await this.#matches.counts(segments.map(({ after, last_id }) => ({ after, to: last_id })));
      for (const [i, segment] of segments.entries()) {
        this.#counts.set(segment.segment, counts[i] as number);
        this.#keep(segment);
      }
    }
  }

  async #countSparse(sparse: readonly Candidates[]): Promise<void> {
    const places = sparse.flatMap(({ segment, positions }) => positionsIn(positions).map((position) => ({ segment, position })));
    const ids = new Set(
      sparse.flatMap(({ segment }) => changedIn(this.#searching.index, { after: segment.after, to: segment.last_id })),
    );
    for (const { segment } of sparse) this.#counts.set(segment.segment, 0);
    for (let from = 0; from < places.length; from += BATCH) {
      for (const id of await idsAt(this.#searching, places.slice(from, from + BATCH))) ids.add(id);
    }
    const asked = [...ids].sort();
    const segments = sparse.map(({ segment }) => segment);
    for (let from = 0, counted = 0; ; from += BATCH) {
      const next = asked[from];
      for (; counted < segments.length; counted++) {
        const segment = segments[counted] as Covered;
        if (next !== undefined && segment.last_id >= next) break;
        this.#keep(segment);
      }
      if (next === undefined) return;
      this.#checkDeadline();
      const found = await this.#matches.ids({ ids: asked.slice(from, from + BATCH) }, 'oldest_first', BATCH);
      let at = counted;
      for (const id of found) {
        while (id > (segments[at] as Covered).last_id) at++;
        const { segment } = segments[at] as Covered;
        this.#counts.set(segment, (this.#counts.get(segment) as number) + 1);
      }
    }
  }

  #checkDeadline(): void {
    if (performance.now() < this.#counting.deadline) return;
    throw uncounted();
  }
}

/** Returns the error of a total that takes too long. */
export function uncounted(): Problem {
  return invalid({ search: ['is found too often to be counted in time: make it longer, ask again, or page by cursor'] });
}

/** Returns where a page begins: the range of the first part that reaches it, and the matches to skip in that part. */
export function startOf(parts: readonly Part[], skip: number): { to: string | null; skip: number } {
  let left = skip;
  for (const { range, count } of parts) {
    if (left < count) return { to: range.to, skip: left };
    left -= count;
  }
  return { to: parts.at(-1)?.range.after ?? null, skip: left };
}
