import type { Queryable } from '../../kit/sql.ts';
import type { Segment } from './build-store.ts';
import { addList, countOf, intersect, isEmpty, NO_POSITIONS, noPositions, type Positions, unite } from './positions.ts';
import { type AskedList, type GroupList, lengthsOf, type ReadList, readLists } from './search-store.ts';
import type { Corpus } from './searchable.ts';
import { type ListName, type Wanted, wantedBy } from './wanted.ts';

/** A segment with the last id of the one before it. */
export type Covered = Segment & { after: string | null };

/** Rows of a segment that may contain the text. */
export interface Candidates {
  segment: Covered;
  positions: Positions;
  count: number;
  /** Whether there are so many candidates that the rows of the segment are read in the order of ids, not one by one. */
  dense: boolean;
}

/** A worker replaced a segment during the search. It is repeated with the new one. */
export class Replaced extends Error {}

const DENSE = 1 / 8;
/** Expected candidates below which another list costs more than reading the rows. */
const FEW_CANDIDATES = 0.5;
/** Number of rows whose reading takes PostgreSQL as long as reading the lengths of the other lists of their segment. */
const FEW_ROWS = 8;
const MAX_LISTS = 6;
const MAX_REFINED = 24;

/** Returns whether so many rows may contain the text that they are read in the order of ids, not one by one. */
export function isDense(candidates: number, rows: number): boolean {
  return candidates > rows * DENSE;
}

/** The rows of a segment that are in all lists of one group read so far. */
interface Narrowed {
  segment: Covered;
  group: number;
  /** Null before the first list. */
  positions: Positions | null;
}

/** A list that narrows the rows of segments. */
type Narrowing = GroupList & { of: Narrowed[] };

/** Reads the candidates of one search: rows that have any of its texts. */
export class CandidateReader {
  /** Whether every candidate is a match, so that nothing has to be compared with the texts themselves. */
  readonly exact: boolean;
  readonly #texts: readonly TextReader[];

  constructor(db: Queryable, corpus: Corpus, groups: readonly number[], texts: readonly string[]) {
    this.#texts = texts.map((text) => new TextReader(db, corpus, groups, text));
    this.exact = this.#texts.every(({ wanted }) => wanted.exact);
  }

  /** @throws Replaced */
  async read(segments: readonly Covered[]): Promise<Candidates[]> {
    const ofTexts: ReadonlyMap<Covered, Positions>[] = [];
    for (const text of this.#texts) ofTexts.push(await text.read(segments));
    return segments.map((segment) => {
      const positions = united(ofTexts.flatMap((one) => one.get(segment) ?? []));
      const count = countOf(positions);
      return { segment, positions, count, dense: isDense(count, segment.row_count) };
    });
  }
}

/** Reads the rows that may have one text. */
class TextReader {
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
  async read(segments: readonly Covered[]): Promise<Map<Covered, Positions>> {
    const newest = segments.at(-1);
    if (!newest) return new Map();
    const { or } = this.wanted;
    this.#chosen ??= await this.#choose(newest);
    const chosen = this.#chosen;
    const ors = or ? this.#named([or]) : [];
    const [inAll, inOr] = [this.#unread(segments), ors.length > 0 ? this.#unread(segments) : []];
    await this.#narrow([...chosen.map((list) => narrowing(list, inAll)), ...ors.map((list) => narrowing(list, inOr))]);
    await this.#narrow(await this.#others(inAll, chosen));
    const bySegment = Map.groupBy([...inAll, ...inOr], ({ segment }) => segment);
    return new Map([...bySegment].map(([segment, all]) => [segment, united(all.flatMap((one) => one.positions ?? []))]));
  }

  #unread(segments: readonly Covered[]): Narrowed[] {
    return this.#groups.flatMap((group) => segments.map((segment) => ({ segment, group, positions: null })));
  }

  #named(lists: readonly ListName[]): GroupList[] {
    return this.#groups.flatMap((field_group) => lists.map((list) => ({ ...list, field_group })));
  }

  /** Chooses the rarest lists of each group, by their lengths in one segment. */
  async #choose(segment: Segment): Promise<GroupList[]> {
    const named = this.#named(this.wanted.all);
    if (this.wanted.all.length === 1) return named;
    const lengths = await lengthsOf(
      this.#db,
      this.#corpus,
      named.map((list) => ({ ...list, segments: [segment] })),
    );
    const known = named.map((list, n) => ({ list, density: density(lengths[n]?.get(segment.segment), segment.row_count) }));
    return this.#groups.flatMap((group) => {
      const lists = known.filter(({ list }) => list.field_group === group);
      const chosen = rarest(lists, segment.row_count);
      return chosen.length > 0 ? chosen : lists.slice(0, 1).map(({ list }) => list);
    });
  }

  /**
   * Chooses more lists where the first ones leave many rows: characters that are rare in one segment can be frequent in another, such as
   * the digits of rising numbers. They are chosen for each segment, among the lists with fewer rows than are left.
   */
  async #others(narrowed: readonly Narrowed[], read: readonly GroupList[]): Promise<Narrowing[]> {
    const many = narrowed
      .map((one) => ({ one, left: one.positions ? countOf(one.positions) : 0 }))
      .filter(({ left }) => left > FEW_ROWS);
    const lists = this.#groups.flatMap((group) => {
      const of = many.filter(({ one }) => one.group === group).map(({ one }) => one);
      const unread = this.#named(this.wanted.all).filter(
        (list) => list.field_group === group && !read.some((one) => isSame(one, list)),
      );
      return of.length === 0 ? [] : unread.slice(0, MAX_REFINED).map((list) => ({ ...list, of }));
    });
    if (lists.length === 0) return [];
    const lengths = await lengthsOf(this.#db, this.#corpus, lists.map(asked));
    const chosen = lists.map((list): Narrowing => ({ ...list, of: [] }));
    for (const { one, left } of many) {
      const { segment, row_count } = one.segment;
      const shorter = chosen
        .map((list, n) => ({ list, density: density(lengths[n]?.get(segment), row_count) }))
        .filter(({ list, density }) => list.field_group === one.group && density * row_count < left);
      for (const list of rarest(shorter, left)) list.of.push(one);
    }
    return chosen.filter(({ of }) => of.length > 0);
  }

  /** Reads lists and keeps the rows that are in them. */
  async #narrow(lists: readonly Narrowing[]): Promise<void> {
    if (lists.length === 0) return;
    const found = await readLists(this.#db, this.#corpus, lists.map(asked));
    if (!found) throw new Replaced();
    for (const [n, { of }] of lists.entries()) {
      for (const one of of) {
        const { segment, row_count } = one.segment;
        const list = found[n]?.get(segment);
        // In most segments most texts have no rows. Without this shortcut, thousands of zero bytes would be compared for each.
        if (!list || one.positions === NO_POSITIONS) one.positions = NO_POSITIONS;
        else one.positions = intersection(one.positions, decoded(list, row_count));
      }
    }
  }
}

/** Returns the intersection in one of the two sets, which is changed, or {@link NO_POSITIONS}. */
function intersection(set: Positions | null, other: Positions): Positions {
  if (!set) return other;
  intersect(set, other);
  return isEmpty(set) ? NO_POSITIONS : set;
}

/** Returns the union in one of the sets, which is changed, or {@link NO_POSITIONS}. */
function united(sets: readonly Positions[]): Positions {
  const [first = NO_POSITIONS, ...others] = sets.filter((set) => set !== NO_POSITIONS);
  for (const other of others) unite(first, other);
  return first;
}

function narrowing(list: GroupList, all: readonly Narrowed[]): Narrowing {
  return { ...list, of: all.filter(({ group }) => group === list.field_group) };
}

function asked({ of, ...list }: Narrowing): AskedList {
  return { ...list, segments: of.map(({ segment }) => segment) };
}

function isSame(one: GroupList, other: GroupList): boolean {
  return one.field_group === other.field_group && one.bucket === other.bucket && one.third === other.third;
}

/**
 * Returns the rarest lists, up to the one after which so few rows are expected that another list costs more.
 * @param rows number of rows without these lists
 */
function rarest<List>(lists: readonly { list: List; density: number }[], rows: number): List[] {
  let expected = rows;
  const chosen: List[] = [];
  for (const { list, density } of lists.toSorted((a, b) => a.density - b.density)) {
    if (density === 1 || expected <= FEW_CANDIDATES || chosen.length === MAX_LISTS) break;
    chosen.push(list);
    expected *= density;
  }
  return chosen;
}

/** Estimates the share of the rows in a list from its length. */
function density(length: number | undefined, rows: number): number {
  if (length === undefined) return 0;
  if (length === 1) return 1;
  return length > rows / 8 ? 0.5 : length / rows;
}

function decoded({ list, ends }: ReadList, rows: number): Positions {
  const positions = noPositions(rows);
  let start = 0;
  for (const end of ends ?? [list.length]) {
    addList(positions, list.subarray(start, end), rows);
    start = end;
  }
  return positions;
}
