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
import type { TeamVisit } from '../../../page.ts';
import { recipientLine, sameness } from '../recipient.ts';
import { MAX_RECENT, RECENT_MS } from './make.ts';
import { MAX_LINES } from './parse.ts';

/**
 * Confirms a list, or another try of its rejected lines, unless more of its lines repeat a payout than the person has confirmed. Much may have been paid out since the list
 * was checked: lines are compared once more, also with lists that are under way. One list of a team is confirmed at a time.
 * @param status of the lines that are confirmed: `open` of a list that is new
 * @param sure number of repeated lines that the person has confirmed, as it is in the form
 */
export function confirmLines(
  { store, team, at }: TeamVisit,
  batch: BatchRow,
  status: 'open' | 'failed',
  sure: string,
): Promise<boolean> {
  const ref = { team_id: team.id, id: batch.id };
  const since = at - RECENT_MS;
  return store.db.transaction(async (tx) => {
    await lockLists(tx, team.id);
    const lines = await linesThat(tx, ref, status, MAX_LINES);
    const paid = await paidSince(tx, store.environment, team.id, since, MAX_RECENT);
    const waiting = await waitingElsewhere(tx, ref, new Date(since), MAX_RECENT);
    const known = new Set([
      ...paid.map((one) => sameness({ ...one, recipient: recipientLine(one.recipient) })),
      ...waiting.map(sameness),
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
