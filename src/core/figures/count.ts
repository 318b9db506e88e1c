import type { Db, Tx } from '../../kit/sql.ts';
import type { Environment } from '../../kit/environment.ts';
import type { CountRow } from './schema.ts';
import { deleteFigures, firstEventFrom, insertFigures, lockCount, newestEvent, type Period, updateCount } from './store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PART_MS = 5 * MINUTE_MS;

/**
 * An hour is finished this long after its end. An event has the time at which its change began, and is visible when the change is
 * committed: waits for connections, locks and statements add up to less, as each of them ends after seconds.
 */
export const FINISH_AFTER_MS = 15 * MINUTE_MS;
/** Parts that ended longer ago are left as they are until their hour is finished: few changes take as long. */
const USUAL_DELAY_MS = 2 * MINUTE_MS;
/** Hours that one round finishes, so that its transaction stays short while a team is counted for the first time. */
const MAX_HOURS = 12;

/**
 * Brings the figures of a team up to date: finishes hours that are over, and counts the open ones again from the part of the last
 * count on. Each part of an hour is counted about ten times, the whole hour once, however many payments it has.
 * @param at milliseconds since the epoch
 * @returns whether hours remain to be finished
 */
export function countTeam(db: Db, environment: Environment, team_id: bigint, at: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const count = await lockCount(tx, team_id);
    // Read before the figures: what is recorded meanwhile is found by the next count.
    const newest = await newestEvent(tx, team_id);
    if (!count || !newest) return false;
    const { final_to, more } = await finishHours(tx, environment, team_id, count, at);
    if (!more) {
      const from = Math.max(final_to.getTime(), startOf(count.counted_at.getTime() - USUAL_DELAY_MS, PART_MS));
      // Events of a process whose clock is ahead are in the next part.
      await countAgain(
        tx,
        { environment, team_id, from: new Date(from), to: new Date(startOf(at, PART_MS) + 2 * PART_MS) },
        false,
      );
    }
    const progress = more
      ? { counted_id: count.counted_id, counted_at: count.counted_at }
      : { counted_id: newest.id, counted_at: new Date(at) };
    await updateCount(tx, team_id, { final_to, ...progress });
    return more;
  });
}

/** Counts the hours that are over for the last time. Hours without events take no statement. */
async function finishHours(
  tx: Tx,
  environment: Environment,
  team_id: bigint,
  count: CountRow,
  at: number,
): Promise<{ final_to: Date; more: boolean }> {
  const end = startOf(at - FINISH_AFTER_MS, HOUR_MS);
  let final_to = count.final_to.getTime();
  for (let hours = 0; final_to < end; hours++) {
    const next = await firstEventFrom(tx, environment, team_id, new Date(final_to));
    const from = next ? startOf(next.getTime(), HOUR_MS) : end;
    if (from >= end) return { final_to: new Date(end), more: false };
    if (hours === MAX_HOURS) return { final_to: new Date(final_to), more: true };
    final_to = from + HOUR_MS;
    await countAgain(tx, { environment, team_id, from: new Date(from), to: new Date(final_to) }, true);
  }
  return { final_to: new Date(final_to), more: false };
}

async function countAgain(tx: Tx, period: Period, finished: boolean): Promise<void> {
  await deleteFigures(tx, period);
  await insertFigures(tx, period, finished);
}

function startOf(at: number, length_ms: number): number {
  return Math.floor(at / length_ms) * length_ms;
}
