import {
  linesThat,
  lockLists,
  markRepeats,
  paidSince,
  reopenFailed,
  startBatch,
  sumsOf,
  waitingElsewhere,
} from '../../../../../core/payout-batches/store.ts';
import type { BatchRow } from '../../../../../core/payout-batches/schema.ts';
import { APPROVAL_MS } from '../../../../../tenants/approvals/schema.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { recipientLine, sameness } from '../recipient.ts';
import { stillWaiting } from './follow.ts';
import { MAX_RECENT, RECENT_MS } from './make.ts';
import { MAX_LINES } from './parse.ts';
import { waitingSingles } from './singles.ts';

/** How long an approval can wait at most: to be decided on, and then to run. */
const WAITING_MS = 2 * APPROVAL_MS;

/**
 * Confirms a list, or another try of its rejected lines, unless more of its lines repeat a payout than the person has confirmed. Much may have been paid out since the list
 * was checked: lines are compared once more, also with lists that are under way and payouts that wait for a second person. One list of a team is confirmed at a time.
 * @param status of the lines that are confirmed: `open` of a list that is new
 * @param sure number of repeated lines that the person has confirmed, as it is in the form
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
    // What waits is read first, and what was paid last: a line that is approved and paid meanwhile is found in one of them.
    const elsewhere = await waitingElsewhere(tx, store.environment, ref, at - WAITING_MS, MAX_RECENT);
    const waiting = await stillWaiting(visit, elsewhere);
    const paid = await paidSince(tx, store.environment, team.id, at - RECENT_MS, MAX_RECENT);
    const known = new Set([
      ...paid.map((one) => sameness({ ...one, recipient: recipientLine(one.recipient) })),
      ...waiting.map(sameness),
      ...singles.map(sameness),
    ]);
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
