import type { Queryable } from '../../kit/sql.ts';
import type { Segment } from './build-store.ts';
import { addList, countOf, intersect, noPositions, type Positions, unite } from './positions.ts';
import { type GroupList, lengthsOf, type ReadList, readLists } from './search-store.ts';
import type { Corpus } from './searchable.ts';
import { type Wanted, wantedBy } from './wanted.ts';

/** A segment with the last id of the one before it. */
export type Covered = Segment & { after: string | null };

/** Rows of a segment that may contain the text. */
export interface Candidates {
  segment: Covered;
  positions: Positions;
  count: number;
  /** Whether more rows than this are not worth reading one by one: the segment is read in the order of ids. */
  dense: boolean;
}

/** A worker replaced a segment during the search. It is repeated with the new one. */
export class Replaced extends Error {}

const DENSE = 1 / 8;
/** A row is read for each candidate; below one in so many segments another list costs more. */
const FEW_CANDIDATES = 0.5;
const MAX_LISTS = 6;
const MAX_REFINED = 24;

/** Reads the candidates of one search. */
export class CandidateReader {
  readonly wanted: Wanted;
  readonly #db: Queryable;
  readonly #corpus: Corpus;
  readonly #groups: readonly number[];
  #chosen: GroupList[] | undefined;

  constructor(db: Queryable, corpus: Corpus, groups: readonly number[], text: string) {
    this.#db = db;
    this.#corpus = corpus;
    this.#groups = groups;
    this.wanted = wantedBy(text);
  }

  /** @throws Replaced */
  async read(segments: readonly Covered[]): Promise<Candidates[]> {
    const newest = segments.at(-1);
    if (!newest) return [];
    this.#chosen ??= await this.#choose(newest);
    const candidates = await this.#readLists(segments, this.#chosen);
    return this.wanted.all.length > 1 ? this.#refined(candidates) : candidates;
  }

  /** What is rare in one segment can be frequent in another, such as digits of rising numbers: there all lists are read. */
  async #refined(candidates: Candidates[]): Promise<Candidates[]> {
    const dense = candidates.filter((one) => one.dense).map(({ segment }) => segment);
    if (dense.length === 0) return candidates;
    const { all, or } = this.wanted;
    const lists = [...all.slice(0, MAX_REFINED), ...(or ? [or] : [])];
    const refined = await this.#readLists(
      dense,
      this.#groups.flatMap((field_group) => lists.map((list) => ({ ...list, field_group }))),
    );
    const bySegment = new Map(refined.map((one) => [one.segment, one]));
    return candidates.map((one) => bySegment.get(one.segment) ?? one);
  }

  async #readLists(segments: readonly Covered[], lists: readonly GroupList[]): Promise<Candidates[]> {
    const found = await readLists(this.#db, this.#corpus, segments, lists);
    if (!found) throw new Replaced();
    const bySegment = Map.groupBy(found, ({ segment }) => segment);
    return segments.map((segment) => {
      const read = new Map((bySegment.get(segment.segment) ?? []).map((list) => [list.n, list]));
      const positions = this.#positionsIn(segment, lists, read);
      const count = countOf(positions);
      return { segment, positions, count, dense: count > segment.row_count * DENSE };
    });
  }

  #positionsIn({ row_count }: Segment, lists: readonly GroupList[], read: ReadonlyMap<number, ReadList>): Positions {
    const result = noPositions(row_count);
    for (const group of this.#groups) {
      let all: Positions | undefined;
      for (const [n, list] of lists.entries()) {
        if (list.field_group !== group) continue;
        const positions = decoded(read.get(n), row_count);
        if (list === this.#orOf(lists, group)) unite(result, positions);
        else if (all) intersect(all, positions);
        else all = positions;
      }
      if (all) unite(result, all);
    }
    return result;
  }

  #orOf(lists: readonly GroupList[], group: number): GroupList | undefined {
    const { or } = this.wanted;
    return or ? lists.find(({ field_group, bucket }) => field_group === group && bucket === or.bucket) : undefined;
  }

  /** Chooses the rarest lists of each group, by their lengths in one segment. */
  async #choose(segment: Segment): Promise<GroupList[]> {
    const { all, or } = this.wanted;
    const named = this.#groups.flatMap((field_group) => all.map((list) => ({ ...list, field_group })));
    const lengths = all.length === 1 ? [] : await lengthsOf(this.#db, this.#corpus, segment, named);
    return this.#groups.flatMap((field_group, i) => {
      const densities = all.map((_, j) => density(lengths[i * all.length + j] ?? 0, segment.row_count));
      const rarest = all.map((list, j) => ({ list, density: densities[j] as number })).sort((a, b) => a.density - b.density);
      let expected = segment.row_count;
      const needed = rarest.filter((one, j) => {
        const need = j === 0 || (expected > FEW_CANDIDATES && j < MAX_LISTS && one.density < 1);
        if (need) expected *= one.density;
        return need;
      });
      return [...needed.map(({ list }) => list), ...(or ? [or] : [])].map((list) => ({ ...list, field_group }));
    });
  }
}

/** Estimates from the length of a list how large a part of the rows it has. */
function density(length: number, rows: number): number {
  if (length === 1) return 1;
  return length > rows / 8 ? 0.5 : length / rows;
}

function decoded(list: ReadList | undefined, rows: number): Positions {
  const positions = noPositions(rows);
  let start = 0;
  for (const end of list?.ends ?? (list ? [list.list.length] : [])) {
    addList(positions, (list as ReadList).list.subarray(start, end), rows);
    start = end;
  }
  return positions;
}
