import type { LineRow } from '../../../../core/payout-batches/schema.ts';
import { paidSince, waitingElsewhere } from '../../../../core/payout-batches/store.ts';
import type { Queryable } from '../../../../kit/sql.ts';
import { APPROVAL_MS } from '../../../../tenants/approvals/schema.ts';
import type { TeamVisit } from '../../page.ts';
import { stillWaiting } from './bulk/follow.ts';
import { recipientLine, sameness } from './recipient.ts';

/** How far back payouts are compared, and how many of the newest at most. */
export const RECENT_MS = 24 * 3_600_000;
export const MAX_RECENT = 5_000;

/** How long an approval can wait at most: to be decided on, and then to run. */
const WAITING_MS = 2 * APPROVAL_MS;

/** Recipient, amount and currency of a payout, as a line of a list has them. */
type Payout = Pick<LineRow, 'recipient' | 'amount_minor' | 'currency'>;

/**
 * Returns the keys, as `sameness` makes them, of the payouts of the last 24 hours, of those that are under way, and of those that wait.
 * What waits is read first, and what was paid last: a payout that is approved and paid meanwhile is found in one of them.
 * @param singles payouts outside of lists that wait for a second person, read before
 * @param list whose own lines do not count; null: all do
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
