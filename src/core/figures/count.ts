import type { Db, Tx } from '../../kit/sql.ts';
import type { Environment } from '../../kit/environment.ts';
import {
  addFigures,
  beginCount,
  deleteFigures,
  eventAfter,
  eventsOf,
  firstEventFrom,
  lockCount,
  mergeParts,
  moveMark,
  newestEvent,
  type Period,
  updateCount,
} from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PART_MS = 5 * MINUTE_MS;

/**
 * An hour is finished this long after its end, once all transactions that had begun by then have ended: a commit may wait for a standby.
 * An event has the time at which its change began. Until its transaction has a number, it may wait for connections, locks and statements.
 * These waits add up to less than this time, because each of them times out after seconds.
 */
export const FINISH_AFTER_MS = 15 * MINUTE_MS;
/** Parts that ended longer ago are not counted again until their hour is finished, because few changes take that long. */
const USUAL_DELAY_MS = 2 * MINUTE_MS;
/** Statements after which a round finishes no further hour. Its transaction stays short while a team is counted for the first time. */
const MAX_STATEMENTS = 12;
/** Events that one statement counts: a third of a second when they are in memory. */
const MAX_EVENTS = 50_000;

/**
 * Brings the figures of a team up to date: finishes hours that are over, and counts the open ones again from the part of the last
 * count on. Each part of an hour is counted about ten times, and once for the last time, however many payments it has.
 * @param at milliseconds since the epoch
 * @param max_events events that one statement counts
 * @returns whether hours remain to be finished
 */
export async function countTeam(
  db: Db,
  { environment, team_id }: { environment: Environment; team_id: bigint },
  at: number,
  max_events = MAX_EVENTS,
): Promise<boolean> {
  await beginCount(db, team_id);
  return db.transaction(async (tx) => {
    const count = await lockCount(tx, team_id);
    // Read before the figures: what is recorded meanwhile is found by the next count.
    const newest = await newestEvent(tx, team_id);
    if (!count || !newest) return false;
    const settled_at = count.settled_at?.getTime() ?? null;
    if (settled_at === null && count.counted_id === '') {
      // The whole history of a team is first counted by finished hours, never as one open part.
      await moveMark(tx, team_id, new Date(at));
      return false;
    }
    const counted: Counted = { tx, environment, team_id, max_events };
    const { final_to, more } = await finishHours(counted, count.final_to, Math.min(at, settled_at ?? 0));
    if (!more) {
      const from = Math.max(final_to.getTime(), startOf(count.counted_at.getTime() - USUAL_DELAY_MS, PART_MS));
      // Events of a process whose clock is ahead are in the next part.
      await countAgain(counted, new Date(from), new Date(startOf(at, PART_MS) + 2 * PART_MS), false);
      await moveMark(tx, team_id, new Date(at));
    }
    const progress = more
      ? { counted_id: count.counted_id, counted_at: count.counted_at }
      : { counted_id: newest.id, counted_at: new Date(at) };
    await updateCount(tx, team_id, { final_to, ...progress });
    return more;
  });
}

/** A count under way. */
interface Counted {
  tx: Tx;
  environment: Environment;
  team_id: bigint;
  max_events: number;
}

/**
 * Counts the hours that are over for the last time. Hours without events take no statement; one with more events than a statement counts is
 * counted by its parts, so that a round may end between them.
 */
async function finishHours(counted: Counted, finished_to: Date, at: number): Promise<{ final_to: Date; more: boolean }> {
  const { tx, environment, team_id } = counted;
  const end = startOf(at - FINISH_AFTER_MS, HOUR_MS);
  let final_to = finished_to.getTime();
  for (let statements = 0; final_to < end; ) {
    if (statements >= MAX_STATEMENTS) return { final_to: new Date(final_to), more: true };
    if (final_to === startOf(final_to, HOUR_MS)) {
      const next = await firstEventFrom(tx, environment, team_id, new Date(final_to));
      final_to = Math.min(next ? startOf(next.getTime(), HOUR_MS) : end, end);
      if (final_to === end) break;
    }
    const hour = startOf(final_to, HOUR_MS);
    const whole = final_to === hour && !(await isBusy(counted, hour));
    const to = final_to + (whole ? HOUR_MS : PART_MS);
    statements += await countAgain(counted, new Date(final_to), new Date(to), whole);
    if (!whole && to === hour + HOUR_MS) await mergeParts(tx, team_id, new Date(hour));
    final_to = to;
  }
  return { final_to: new Date(final_to), more: false };
}

/** Whether an hour has more events than one statement counts. */
async function isBusy({ tx, max_events, ...team }: Counted, hour: number): Promise<boolean> {
  const events = eventsOf({ ...team, from: new Date(hour), to: new Date(hour + HOUR_MS) });
  return (await eventAfter(tx, team.team_id, events, max_events)) !== null;
}

/**
 * Counts a period anew, in as many statements as its events need.
 * @returns how many
 */
async function countAgain({ tx, max_events, ...team }: Counted, from: Date, to: Date, finished: boolean): Promise<number> {
  const period: Period = { ...team, from, to };
  const events = eventsOf(period);
  await deleteFigures(tx, period);
  let statements = 0;
  for (let at: string | null = events.from; at !== null; statements++) {
    const next: string | null = await eventAfter(tx, team.team_id, { from: at, to: events.to }, max_events);
    await addFigures(tx, team.team_id, { from: at, to: next ?? events.to }, finished);
    at = next;
  }
  return statements;
}

function startOf(at: number, length_ms: number): number {
  return Math.floor(at / length_ms) * length_ms;
}
