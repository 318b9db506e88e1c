import type { Minor } from '../../kit/money.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { listApprovers, lockMembers } from '../people/member-store.ts';
import { isPermitted, ROLES } from '../people/roles.ts';
import { refuseApproval } from './faults.ts';
import type { Threshold } from './schema.ts';
import { listThresholds } from './threshold-store.ts';

/** Minimum number of people who may approve while a team has a threshold: one requests, another decides. */
const MIN_APPROVERS = 2;

/** Roles that may approve. People are the same in both environments, and so are these roles. */
export const APPROVING = ROLES.filter((role) => isPermitted(role, 'approval.write', 'live'));

/**
 * Returns whether a movement needs a second person. In a team with thresholds, every movement in a currency without one needs it.
 * @param thresholds all thresholds of the team
 */
export function needsSecond(thresholds: readonly Threshold[], moved: { amount_minor: Minor; currency: string }): boolean {
  if (thresholds.length === 0) return false;
  const own = thresholds.find(({ currency }) => currency === moved.currency);
  return own === undefined || moved.amount_minor > own.above_minor;
}

/**
 * Locks the memberships of a team and returns its thresholds. Whoever sets the first threshold, or changes something because the team has
 * none, takes this lock, so that one of them sees what the other did.
 */
export async function lockThresholds(tx: Tx, team_id: bigint): Promise<Threshold[]> {
  await lockMembers(tx, team_id);
  return listThresholds(tx, team_id);
}

/**
 * Verifies that at least two people of a team may approve.
 * @throws Problem 409 otherwise
 */
export async function refuseTooFew(db: Queryable, team_id: bigint): Promise<void> {
  const approvers = await listApprovers(db, team_id, APPROVING);
  if (approvers.length < MIN_APPROVERS) refuseApproval('approvers');
}
