import type { LineRow } from '../../../../core/payout-batches/schema.ts';
import { paidSince, waitingElsewhere } from '../../../../core/payout-batches/store.ts';
import type { Queryable } from '../../../../kit/sql.ts';
import { APPROVAL_MS } from '../../../../tenants/approvals/schema.ts';
import type { TeamVisit } from '../../page.ts';
import { stillWaiting } from './bulk/follow.ts';
import { recipientLine, sameness } from './recipient.ts';

/** Period in which payouts are compared, and the maximum number of them, newest first. */
export const RECENT_MS = 24 * 3_600_000;
export const MAX_RECENT = 5_000;

/** Maximum time that an approval can wait: for the decision, and then to run. */
const WAITING_MS = 2 * APPROVAL_MS;

/** Recipient, amount and currency of a payout, as in a line of a list. */
type Payout = Pick<LineRow, 'recipient' | 'amount_minor' | 'currency'>;

/**
 * Returns the keys (from `sameness`) of the payouts of the last 24 hours, of those in progress, and of those that wait for approval.
 * Waiting payouts are read first and paid ones last, so that a payout that is approved and paid meanwhile is found at least once.
 * @param singles payouts outside of lists that wait for a second person, read before
 * @param list id of the list whose own lines do not count; null: all count
 */
export async function knownPayouts(
  visit: TeamVisit,
  db: Queryable,
  singles: readonly Payout[],
  list: string | null,
): Promise<Set<string>> {
  const { store, team, at } = visit;
  const ref = { team_id: team.id, id: list ?? '' };
  const elsewhere = await waitingElsewhere(db, store.environment, ref, at - WAITING_MS, MAX_RECENT);
  const waiting = await stillWaiting(visit, elsewhere);
  const paid = await paidSince(db, store.environment, team.id, at - RECENT_MS, MAX_RECENT);
  const recent = paid.map((one) => ({ ...one, recipient: recipientLine(one.recipient) }));
  return new Set([...recent, ...waiting, ...singles].map(sameness));
}
