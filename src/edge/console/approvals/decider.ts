import { type ApprovalRow, isOperation } from '../../../tenants/approvals/schema.ts';
import { readableWanted } from '../../../tenants/approvals/wanted.ts';
import type { TeamVisit } from '../page.ts';

/**
 * Returns whether the person may decide on an open approval, by the rules of `decide` and `approve`. The count beside the navigation, the
 * list and the page of an approval all use it.
 */
export function mayDecide(
  { can, session, approvals }: Pick<TeamVisit, 'can' | 'session' | 'approvals'>,
  row: ApprovalRow,
): boolean {
  if (row.decision !== null || row.over || row.asked_by === session.user.id || !can('approval.write')) return false;
  if (isOperation(row)) return can(row.permission);
  const wanted = readableWanted(approvals.secrets, row);
  return wanted !== null && wanted.body.user !== session.user.id;
}
