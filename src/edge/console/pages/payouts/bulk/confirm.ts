import { linesThat, lockLists, markRepeats, reopenFailed, startBatch, sumsOf } from '../../../../../core/payout-batches/store.ts';
import type { BatchRow } from '../../../../../core/payout-batches/schema.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { knownPayouts } from '../known.ts';
import { sameness } from '../recipient.ts';
import { MAX_LINES } from './parse.ts';
import { waitingSingles } from './singles.ts';

/**
 * Confirms a list, or another try of its failed lines, unless more of its lines repeat a payout than the person has confirmed. Payouts
 * may have been made since the list was checked, so the lines are compared again, also with lists in progress and payouts that wait for
 * approval. Only one list of a team is confirmed at a time.
 * @param status status of the lines that are confirmed: `open` for a new list
 * @param sure number of repeated lines that the person has confirmed, as in the form
 */
export async function confirmLines(
  deps: ConsoleDeps,
  visit: TeamVisit,
  batch: BatchRow,
  status: 'open' | 'failed',
  sure: string,
): Promise<boolean> {
  const { store, team, at } = visit;
  const singles = await waitingSingles(deps, visit);
  const ref = { team_id: team.id, id: batch.id };
  return store.db.transaction(async (tx) => {
    await lockLists(tx, team.id);
    const lines = await linesThat(tx, ref, status, MAX_LINES);
    const known = await knownPayouts(visit, tx, singles, batch.id);
    const repeated = lines.filter((line) => line.repeats === null && known.has(sameness(line)));
    await markRepeats(
      tx,
      ref,
      repeated.map(({ line }) => line),
    );
    const count = (await sumsOf(tx, ref)).reduce((sum, one) => sum + (one.status === status ? one.repeated : 0), 0);
    if (count > 0 && sure !== String(count)) return false;
    await (status === 'open' ? startBatch(tx, ref, new Date(at)) : reopenFailed(tx, ref));
    return true;
  });
}
