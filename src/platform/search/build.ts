import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../../kit/environment.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import type { Db, Tx } from '../../kit/sql.ts';
import {
  type Claimed,
  changesIn,
  dateMark,
  deleteChanges,
  deleteSegments,
  endBuild,
  insertBuckets,
  insertSegment,
  lockClaim,
  moveMark,
  newestSegment,
  type Segment,
  segmentOf,
  segmentsOf,
  setRebuilt,
} from './build-store.ts';
import { MAX_POSITIONS } from './positions.ts';
import { mergeable, mergedPart } from './merge.ts';
import { type Part, PartBuilder } from './part.ts';
import { nthId, readTexts } from './rows-store.ts';
import type { Rests } from './rests.ts';
import type { Searchable, Searched } from './searchable.ts';

export interface BuildOptions {
  /** Rows of a new segment. */
  segment_rows: number;
  /** Maximum rows of the segments into which older ones are merged. */
  merged_rows: number;
  /** Minimum age of rows that are indexed, in milliseconds. Open transactions may still insert younger rows, each recorded as a change. */
  settled_ms: number;
  /** Pause after a rebuild in which no segment of the index is rebuilt, in multiples of the time that the rebuild took. */
  rest: number;
  /** Maximum changed rows that wait during the pause. Each search of their team reads them, so with more there is no pause. */
  waiting_rows: number;
}

const READ_ROWS = 512;
/** Maximum entries of one segment, with 8 bytes of memory each. With texts of 1,000 characters a segment has a fifth of the usual rows. */
const MAX_ENTRIES = 4_000_000;
/** Maximum time for which the event loop is used without a pause, so that no request is delayed noticeably. */
const MAX_TURN_MS = 4;
/** Delay before a mark is checked again. It is final when the open transactions have ended. */
const MARK_MS = 1_000;

/** Location of an index. */
interface Place {
  db: Db;
  environment: Environment;
}

/** One step of the index of a claimed team. Ends the claim. */
export class Build {
  readonly #db: Db;
  readonly #environment: Environment;
  readonly #searchable: Searchable;
  readonly #claimed: Claimed;
  readonly #options: BuildOptions;
  readonly #rests: Rests;
  #turn_began = performance.now();

  constructor({ db, environment }: Place, searchable: Searchable, claimed: Claimed, options: BuildOptions, rests: Rests) {
    this.#db = db;
    this.#environment = environment;
    this.#searchable = searchable;
    this.#claimed = claimed;
    this.#options = options;
    this.#rests = rests;
  }

  async run(): Promise<void> {
    // The first step alternates, so that frequent changes do not keep new rows out of the index, nor the reverse.
    const steps = [() => this.#rebuild(), () => this.#extend(), () => this.#merge()];
    let next: number | null = null;
    for (let i = 0; i < steps.length; i++) {
      const due = await (steps[(this.#claimed.claim + i) % steps.length] as (typeof steps)[number])();
      next = due ?? next;
      // A claim provides numbers for new segments only once.
      if (due === 0) break;
    }
    await endBuild(this.#db, this.#claimed, next);
  }

  /**
   * Rebuilds the segment of a changed row: the next one after the segment that was rebuilt last. Changes of rows that no segment covers
   * are deleted, because the next segment reads these rows. One changed row costs as much as 65,536, so a pause follows.
   * @returns null when nothing has changed, or it is too early
   */
  async #rebuild(): Promise<0 | null> {
    if (this.#rests.has(this.#claimed)) return null;
    const { rest, waiting_rows } = this.#options;
    const began = performance.now();
    // A pause also follows a rebuild that failed, because it took time too.
    let mayGoOn = false;
    try {
      const rebuilt = await this.#rebuildNext();
      mayGoOn =
        rebuilt === null || (await changesIn(this.#db, this.#claimed, null, null, waiting_rows + 1)).length > waiting_rows;
      return rebuilt;
    } finally {
      if (!mayGoOn) this.#rests.begin(this.#claimed, (performance.now() - began) * rest);
    }
  }

  async #rebuildNext(): Promise<0 | null> {
    const next = (after: string | null) => changesIn(this.#db, this.#claimed, after, null, 1);
    const [change] = [...(await next(this.#claimed.rebuilt_id)), ...(await next(null))];
    if (!change) return null;
    const changed = await segmentOf(this.#db, this.#claimed, change.id);
    if (changed) {
      await this.#build(changed.after, changed.last_id, changed);
      return 0;
    }
    const newest = await newestSegment(this.#db, this.#claimed);
    const uncovered = await changesIn(this.#db, this.#claimed, newest?.last_id ?? null, null);
    await this.#db.transaction(async (tx) => {
      if (await lockClaim(tx, this.#claimed)) await deleteChanges(tx, this.#claimed, uncovered);
    });
    return 0;
  }

  /** Builds the next segment if its rows exist and are final. @returns milliseconds until the next try; null: not before it is made due */
  async #extend(): Promise<number | null> {
    const { final_id, marked_id, now_ms, team_id } = this.#claimed;
    const { segment_rows, settled_ms } = this.#options;
    const newest = await newestSegment(this.#db, this.#claimed);
    const after = newest?.last_id ?? null;
    const last = await nthId(this.#db, this.#searchable, team_id, after, segment_rows);
    if (last === null) return null;
    if (final_id !== null && last <= final_id) {
      await this.#build(after, last, null);
      return 0;
    }
    const settled = lowestIdAt(this.#searchable.prefix, this.#environment, now_ms - settled_ms);
    if (marked_id === null || marked_id < settled) await moveMark(this.#db, this.#claimed, settled);
    await dateMark(this.#db, this.#claimed);
    return last <= settled ? MARK_MS : settled_ms;
  }

  /**
   * Builds the index of a range of ids in one transaction: one segment, or several for long texts or rows that were inserted late.
   * It includes changes that were recorded before the rows are read; later changes stay recorded.
   */
  async #build(after: string | null, to: string, replaced: Segment | null): Promise<void> {
    const changes = await changesIn(this.#db, this.#claimed, after, to);
    const parts: Part[] = [];
    for await (const part of this.#parts(after, to)) parts.push(part);
    await this.#replace(replaced ? [replaced] : [], parts, async (tx) => {
      if (replaced) await setRebuilt(tx, this.#claimed, replaced);
      await deleteChanges(tx, this.#claimed, changes);
    });
  }

  /**
   * Merges small segments that follow each other, without reading their rows. Recorded changes of these rows stay recorded.
   * @returns null when there are none
   */
  async #merge(): Promise<0 | null> {
    const segments = mergeable(await segmentsOf(this.#db, this.#claimed), this.#options.merged_rows);
    if (!segments) return null;
    await this.#replace(segments, [await mergedPart(this.#db, this.#claimed, segments, this.#pause)]);
    return 0;
  }

  async #replace(replaced: readonly Segment[], parts: readonly Part[], also?: (tx: Tx) => Promise<void>): Promise<void> {
    await this.#db.transaction(async (tx) => {
      if (!(await lockClaim(tx, this.#claimed))) return;
      await deleteSegments(tx, this.#claimed, replaced);
      let segment = this.#claimed.next_segment;
      for (const { last_id, row_count, ids, batches } of parts) {
        await insertSegment(tx, this.#claimed, { last_id, row_count, segment }, ids);
        for (const buckets of batches) await insertBuckets(tx, this.#claimed, segment, buckets);
        segment++;
      }
      await also?.(tx);
    });
  }

  async *#parts(after: string | null, to: string): AsyncGenerator<Part> {
    const max_rows = Math.min(this.#options.segment_rows * 2, MAX_POSITIONS);
    const prefix = idPrefix(this.#searchable.prefix, this.#environment);
    let part = new PartBuilder(prefix);
    let last = after;
    for (;;) {
      const rows = await readTexts(this.#db, this.#searchable, this.#claimed.team_id, { after: last, to }, READ_ROWS);
      for (const row of rows) {
        if (part.row_count >= max_rows || part.entries > MAX_ENTRIES) {
          yield await part.built(null, this.#pause);
          part = new PartBuilder(prefix);
        }
        part.add(row);
        await this.#pause();
      }
      if (rows.length < READ_ROWS) break;
      last = (rows.at(-1) as Searched).id;
    }
    // The last segment extends to the end of the range, even if the row there is gone, so that the ranges have no gap.
    yield await part.built(to, this.#pause);
  }

  /** Yields to the event loop every few milliseconds. */
  #pause = async (): Promise<void> => {
    if (performance.now() - this.#turn_began < MAX_TURN_MS) return;
    await nextTurn();
    this.#turn_began = performance.now();
  };
}
