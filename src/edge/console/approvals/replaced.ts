import type { Threshold, Wanted } from '../../../tenants/approvals/schema.ts';
import { listThresholds } from '../../../tenants/approvals/threshold-store.ts';
import { listMembers } from '../../../tenants/people/member-store.ts';
import type { Role } from '../../../tenants/people/roles.ts';
import type { TeamVisit } from '../page.ts';

/** Returns whether somebody gave the person another role after the request, and not the requested one. */
export function isOtherRole({ role, body }: Wanted, now: Role | undefined): boolean {
  return role !== undefined && now !== undefined && now !== role && now !== body.role;
}

/** Returns whether somebody set or removed the threshold after the request, and not as requested. */
export function isOtherThreshold({ threshold, body }: Wanted, thresholds: readonly Threshold[]): boolean {
  const now = thresholdOf(thresholds, body.currency);
  return threshold !== undefined && now !== threshold && now !== (body.above_minor ?? null);
}

/** Returns the threshold of a currency as a request stores it: in the minor unit; null: none. */
export function thresholdOf(thresholds: readonly Threshold[], currency: unknown): string | null {
  const own = thresholds.find((one) => one.currency === currency);
  return own ? String(own.above_minor) : null;
}

/** Returns {@link isOtherRole} for the current role. */
export async function hasOtherRole({ approvals, team }: TeamVisit, wanted: Wanted): Promise<boolean> {
  if (wanted.role === undefined) return false;
  const members = await listMembers(approvals.control, team.id);
  return isOtherRole(wanted, members.find(({ user_id }) => user_id === wanted.body.user)?.role);
}

/** Returns {@link isOtherThreshold} for the current thresholds. */
export async function hasOtherThreshold({ approvals, team }: TeamVisit, wanted: Wanted): Promise<boolean> {
  return wanted.threshold !== undefined && isOtherThreshold(wanted, await listThresholds(approvals.control, team.id));
}
