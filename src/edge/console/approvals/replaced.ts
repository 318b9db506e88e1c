import type { Queryable } from '../../../kit/sql.ts';
import type { Wanted } from '../../../tenants/approvals/schema.ts';
import { listThresholds } from '../../../tenants/approvals/threshold-store.ts';
import { countEntries } from '../../../tenants/audit/store.ts';
import { findTeamKey } from '../../../tenants/keys/store.ts';
import { findLastInvitation } from '../../../tenants/people/link-store.ts';
import { listMembers } from '../../../tenants/people/member-store.ts';
import type { Role } from '../../../tenants/people/roles.ts';
import type { TeamVisit } from '../page.ts';

/** A role, a threshold or the state of a key as it is now, and the number of its changes so far. */
interface Current<Value> {
  value: Value;
  changes: number;
}

/** Returns whether somebody gave the person another role after the request, also one that was changed back, and not the requested one. */
export function isOtherRole({ role, changes, body }: Wanted, now: Current<Role | undefined>): boolean {
  if (role === undefined || now.value === undefined) return false;
  return now.value !== body.role && isChanged({ value: role, changes }, now);
}

/** Returns whether the threshold already is as requested. */
export function isRequested({ body }: Wanted, { value }: Current<string | null>): boolean {
  return value === (body.above_minor ?? null);
}

/** Returns whether somebody set or removed the threshold after the request, also if it was changed back, and not as requested. */
export function isOtherThreshold(wanted: Wanted, now: Current<string | null>): boolean {
  const { threshold, changes } = wanted;
  if (threshold === undefined) return false;
  return !isRequested(wanted, now) && isChanged({ value: threshold, changes }, now);
}

/** Returns whether somebody changed an inactive key after the request to activate it, also if it was activated and deactivated again. */
export function isOtherKey({ changes }: Wanted, now: Current<boolean>): boolean {
  return !now.value && isChanged({ value: false, changes }, now);
}

/** @param asked the state at the time of the request. One that an earlier release stored has no number of changes */
function isChanged<Value>(asked: { value: Value; changes?: number | undefined }, now: Current<Value>): boolean {
  return now.value !== asked.value || (asked.changes ?? now.changes) !== now.changes;
}

/** Returns how often a person was given another role in the team. */
export function countRoles(db: Queryable, { team }: Pick<TeamVisit, 'team'>, user_id: string): Promise<number> {
  return countEntries(db, team.id, user_id, ['person.role']);
}

/** Returns how often a key of the team was changed. */
export function countKeyChanges(db: Queryable, { team }: Pick<TeamVisit, 'team'>, key_id: string): Promise<number> {
  return countEntries(db, team.id, key_id);
}

/** Returns the threshold of a currency as a request stores it, in the minor unit (null: none), and how often it was set or removed. */
export async function currentThreshold(db: Queryable, { team }: TeamVisit, currency: string): Promise<Current<string | null>> {
  const changes = await countEntries(db, team.id, currency, ['threshold.set', 'threshold.remove']);
  const own = (await listThresholds(db, team.id)).find((one) => one.currency === currency);
  return { value: own ? String(own.above_minor) : null, changes };
}

/** Returns {@link isOtherRole} for the current role. */
export async function hasOtherRole(visit: TeamVisit, wanted: Wanted): Promise<boolean> {
  if (wanted.role === undefined) return false;
  const { control } = visit.approvals;
  const user = String(wanted.body.user);
  const changes = await countRoles(control, visit, user);
  const members = await listMembers(control, visit.team.id);
  return isOtherRole(wanted, { value: members.find(({ user_id }) => user_id === user)?.role, changes });
}

/** Returns {@link isOtherThreshold} for the current threshold. */
export async function hasOtherThreshold(visit: TeamVisit, wanted: Wanted): Promise<boolean> {
  if (wanted.threshold === undefined) return false;
  return isOtherThreshold(wanted, await currentThreshold(visit.approvals.control, visit, String(wanted.body.currency)));
}

/** Returns {@link isOtherKey} for the current key. */
export async function hasOtherKey(visit: TeamVisit, wanted: Wanted): Promise<boolean> {
  const { approvals, team, environment } = visit;
  const id = String(wanted.body.id);
  const changes = await countKeyChanges(approvals.control, visit, id);
  const key = await findTeamKey(approvals.control, { team_id: team.id, environment, id });
  return key !== undefined && isOtherKey(wanted, { value: key.active, changes });
}

/** Returns whether somebody invited the address to another role after the request. */
export async function hasOtherInvitation(db: Queryable, { team }: Pick<TeamVisit, 'team'>, wanted: Wanted): Promise<boolean> {
  const { invitation, body } = wanted;
  if (invitation === undefined) return false;
  const last = await findLastInvitation(db, team.id, String(body.email));
  return last !== undefined && last.id !== invitation && last.role !== body.role;
}
