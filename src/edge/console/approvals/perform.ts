import { must, notFound } from '../../../kit/errors.ts';
import type { Tx } from '../../../kit/sql.ts';
import type { ApprovalRow, Wanted } from '../../../tenants/approvals/schema.ts';
import { listThresholds, removeThreshold, setThreshold } from '../../../tenants/approvals/threshold-store.ts';
import { refuseApproval } from '../../../tenants/approvals/faults.ts';
import { lockThresholds, refuseTooFew } from '../../../tenants/approvals/thresholds.ts';
import { record } from '../../../tenants/audit/record.ts';
import { checkNotEnded, rightsOf } from '../../../tenants/keys/service.ts';
import { lockTeamKey, switchKey } from '../../../tenants/keys/store.ts';
import { lockMember, lockMembers } from '../../../tenants/people/member-store.ts';
import { changeRole, invite, removeMember, resend, type Subject } from '../../../tenants/people/members.ts';
import { isPermitted, type Role } from '../../../tenants/people/roles.ts';
import { findUser } from '../../../tenants/people/store.ts';
import { actorOf } from '../actor.ts';
import { keyOfAsked } from '../forms.ts';
import type { TeamVisit } from '../page.ts';
import {
  countKeyChanges,
  countRoles,
  currentThreshold,
  hasOtherInvitation,
  isOtherKey,
  isOtherRole,
  isOtherThreshold,
  isRequested,
} from './replaced.ts';

/** Actions that run when they are approved. Actions that show a key are run later, by the requester. */
export type Performed =
  | 'person.role'
  | 'person.remove'
  | 'person.invite'
  | 'person.resend'
  | 'threshold.set'
  | 'threshold.remove'
  | 'key.activate';

type Perform = (tx: Tx, visit: TeamVisit, row: ApprovalRow, body: Record<string, string>, wanted: Wanted) => Promise<unknown>;

/** The actions. They follow the rules for the requester, and the audit entry names the approver. */
const ACTIONS: Readonly<Record<Performed, Perform>> = {
  'person.role': async (tx, visit, row, { user = '', role }, wanted) => {
    await changeRole(tx, makerOf(visit, row), subjectOf(user, wanted), role as Role, async (now) => {
      if (isOtherRole(wanted, { value: now, changes: await countRoles(tx, visit, user) })) refuseApproval('role');
    });
  },
  'person.remove': (tx, visit, row, { user = '' }, wanted) => removeMember(tx, makerOf(visit, row), subjectOf(user, wanted)),
  'person.invite': async (tx, visit, row, { email = '', role }, wanted) => {
    // Locked before the comparison: every invitation of the team waits for this lock.
    await lockMembers(tx, visit.team.id);
    if (await hasOtherInvitation(tx, visit, wanted)) refuseApproval('invitation');
    const form_key = keyOfAsked(row.form_key, [email, role]);
    return invite(tx, makerOf(visit, row), { email, role: role as Role, ...(await senderOf(tx, visit, row)), form_key });
  },
  'person.resend': async (tx, visit, row, { link = '' }) => resend(tx, makerOf(visit, row), link, await senderOf(tx, visit, row)),
  'threshold.set': (tx, visit, _row, { currency = '', above_minor = '' }, wanted) =>
    changeThreshold(tx, visit, wanted, 'threshold.set', () => setThreshold(tx, visit.team.id, currency, BigInt(above_minor))),
  'threshold.remove': (tx, visit, _row, { currency = '' }, wanted) =>
    changeThreshold(tx, visit, wanted, 'threshold.remove', () => removeThreshold(tx, visit.team.id, currency)),
  'key.activate': async (tx, visit, { environment, asked_by }, { id = '' }, wanted) => {
    const key = await lockTeamKey(tx, { team_id: visit.team.id, environment, id });
    if (!key) throw notFound();
    checkNotEnded(key, visit.at);
    const maker = await lockMember(tx, visit.team.id, asked_by);
    const may = maker && rightsOf(key.kind, key.scopes).every((scope) => isPermitted(maker.role, scope, environment));
    if (!may) refuseApproval('maker');
    if (key.active) return;
    if (isOtherKey(wanted, { value: false, changes: await countKeyChanges(tx, visit, id) })) refuseApproval('key');
    await switchKey(tx, id, true);
    await note(tx, visit, 'key.activate', id);
  },
};

/** Returns whether an action runs when it is approved. */
export function isPerformed(operation: string): operation is Performed {
  return Object.hasOwn(ACTIONS, operation);
}

/**
 * Runs an approved action of the console.
 * @throws Problem as the action does for the requester; 409 when too few people could approve after it, or when it would replace a role,
 *   an invitation, a threshold or the state of a key that was set since the request
 */
export async function perform(tx: Tx, visit: TeamVisit, row: ApprovalRow, wanted: Wanted): Promise<void> {
  const { operation } = row;
  if (!isPerformed(operation)) throw new Error(`no action ${operation}`);
  await ACTIONS[operation](tx, visit, row, wanted.body as Record<string, string>, wanted);
  if ((await listThresholds(tx, visit.team.id)).length > 0) await refuseTooFew(tx, visit.team.id);
}

/**
 * Changes a threshold and records the change, unless the threshold already is as requested. It is locked until the transaction ends.
 * @throws Problem 409 when it was changed after the request
 */
async function changeThreshold(
  tx: Tx,
  visit: TeamVisit,
  wanted: Wanted,
  action: 'threshold.set' | 'threshold.remove',
  change: () => Promise<void>,
): Promise<void> {
  await lockThresholds(tx, visit.team.id);
  const currency = String(wanted.body.currency);
  const now = await currentThreshold(tx, visit, currency);
  if (isRequested(wanted, now)) return;
  if (isOtherThreshold(wanted, now)) refuseApproval('threshold');
  await change();
  await note(tx, visit, action, currency);
}

function subjectOf(user_id: string, { joined_at = null }: Wanted): Subject {
  return { user_id, joined_at };
}

function makerOf(visit: TeamVisit, { asked_by }: ApprovalRow) {
  return { team_id: visit.team.id, user_id: asked_by, by: actorOf(visit), at: visit.at };
}

async function senderOf(tx: Tx, { team, language }: TeamVisit, { asked_by, form_key }: ApprovalRow) {
  const { name } = must(await findUser(tx, asked_by), 'whoever asked exists');
  return { team: team.name, inviter: name, language, form_key };
}

function note(tx: Tx, visit: TeamVisit, action: 'threshold.set' | 'threshold.remove' | 'key.activate', id: string) {
  return record(tx, actorOf(visit), { team_id: visit.team.id, action, resource_id: id, at: visit.at });
}
