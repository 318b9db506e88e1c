import { notFound, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Actor } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import { queueUserMail } from './mail-store.ts';
import { attempt, byInvitations } from './attempts.ts';
import { findSent, renewInvitation, revokeInvitation, revokeInvitationsTo, wasResent } from './link-store.ts';
import { LINK_MS, makeLink } from './links.ts';
import { deleteMember, isMember, type LockedMember, lockMembers, updateRole, withdrawInvitationsOf } from './member-store.ts';
import { isPermitted, ROLES, type Role } from './roles.ts';

/** The person or operator who changes the people of a team. */
export interface Administrator {
  team_id: bigint;
  /** Null: an operator on the machine, to whom no role applies. */
  user_id: string | null;
  by: Actor;
  /** Milliseconds since the epoch. */
  at: number;
}

/** The membership that is to be changed. */
export interface Subject {
  user_id: string;
  /** When it began, in milliseconds since the epoch, as a form or a request showed it. Null: whichever the person has now. */
  joined_at: number | null;
}

/** Reason why a change of people is rejected. The pages have a text for each. */
export type PeopleFault = 'owners' | 'last_owner' | 'own_role' | 'member' | 'rejoined' | 'many';

const MESSAGES: Readonly<Record<PeopleFault, string>> = {
  owners: 'Only an owner appoints owners, and changes or removes them.',
  last_owner: 'A team keeps at least one owner.',
  own_role: 'Nobody raises their own role.',
  member: 'This person is in the team already.',
  rejoined: 'This person has left the team and joined it again since.',
  many: 'The team has sent many invitations. Try again in 15 minutes.',
};

function refuse(fault: PeopleFault): never {
  throw new Problem(fault === 'many' ? 429 : 409, MESSAGES[fault], { error_code: fault });
}

/** Returns the fault that a problem names; null for any other problem. */
export function peopleFault(problem: Problem): PeopleFault | null {
  const { error_code } = problem.details;
  return error_code !== undefined && error_code in MESSAGES ? (error_code as PeopleFault) : null;
}

/**
 * Gives a member another role.
 * @param verify throws when the current role, which is locked, is not the one that was to be replaced
 * @throws Problem 404 when the person is not in the team, 403 or 409 when the administrator may not, 409 when it is another membership
 */
export async function changeRole(
  tx: Tx,
  who: Administrator,
  whom: Subject,
  role: Role,
  verify?: (now: Role) => Promise<void>,
): Promise<void> {
  const { user_id } = whom;
  const { own, target, other_owners } = await lockedPair(tx, who, whom);
  await verify?.(target);
  if (target === role) return;
  if (who.user_id === user_id && ROLES.indexOf(role) < ROLES.indexOf(target)) refuse('own_role');
  if ((target === 'owner' || role === 'owner') && !appointsOwners(own)) refuse('owners');
  if (target === 'owner' && other_owners === 0) refuse('last_owner');
  await updateRole(tx, who.team_id, user_id, role);
  // Their open invitations were permitted by the former role.
  await withdrawInvitationsOf(tx, who.team_id, user_id);
  await record(tx, who.by, { team_id: who.team_id, action: 'person.role', resource_id: user_id, at: who.at });
}

/**
 * Removes a member. Their sessions stay open, because they may be in other teams, and each request reads the memberships again.
 * @throws Problem 404 when the person is not in the team, 403 or 409 when the administrator may not, 409 when it is another membership
 */
export async function removeMember(tx: Tx, who: Administrator, whom: Subject): Promise<void> {
  const { user_id } = whom;
  const { own, target, other_owners } = await lockedPair(tx, who, whom);
  if (target === 'owner' && !appointsOwners(own)) refuse('owners');
  if (target === 'owner' && other_owners === 0) refuse('last_owner');
  await deleteMember(tx, who.team_id, user_id);
  await record(tx, who.by, { team_id: who.team_id, action: 'person.remove', resource_id: user_id, at: who.at });
}

/** Sender of an invitation, as named in the mail. */
interface Sender {
  team: string;
  inviter: string | null;
  language: string | null;
  /** Key of the form. A form that is submitted again sends no mail. Absent on the command line. */
  form_key?: string;
}

/**
 * Invites an address to the team, by mail. It replaces earlier invitations to the address, which may be to another role.
 * @returns the id of the invitation; of the first one for a form that is submitted again
 */
export async function invite(tx: Tx, who: Administrator, to: Sender & { email: string; role: Role }): Promise<string> {
  const { email, role, form_key = null } = to;
  const own = ownRole(await lockMembers(tx, who.team_id), who);
  const sent = form_key === null ? undefined : await findSent(tx, who.team_id, form_key);
  if (sent !== undefined) return sent;
  if (role === 'owner' && !appointsOwners(own)) refuse('owners');
  if (await isMember(tx, who.team_id, email)) refuse('member');
  if ((await attempt(tx, [byInvitations(who.team_id)])) > 0) refuse('many');
  await revokeInvitationsTo(tx, who.team_id, email);
  const link = {
    kind: 'invitation',
    email,
    user_id: null,
    team_id: who.team_id,
    role,
    invited_by: who.user_id,
    form_key,
  } as const;
  const id = await makeLink(tx, link, who.at);
  await mailInvitation(tx, id, to);
  await record(tx, who.by, { team_id: who.team_id, action: 'person.invite', resource_id: id, at: who.at });
  return id;
}

function mailInvitation(tx: Tx, link: string, to: Sender & { email: string; role: Role }): Promise<void> {
  const { email, role, team, inviter, language } = to;
  return queueUserMail(tx, { kind: 'invitation', facts: { link, team, by: inviter, role, language }, recipient: email });
}

/** Withdraws an invitation. */
export async function withdraw(tx: Tx, who: Administrator, link: string): Promise<void> {
  ownRole(await lockMembers(tx, who.team_id), who);
  if (!(await revokeInvitation(tx, who.team_id, link))) throw notFound();
  await record(tx, who.by, { team_id: who.team_id, action: 'person.withdraw', resource_id: link, at: who.at });
}

/** Sends an invitation again with its full validity. It then belongs to the new sender. */
export async function resend(tx: Tx, who: Administrator, link: string, from: Sender): Promise<void> {
  const own = ownRole(await lockMembers(tx, who.team_id), who);
  const { form_key: resent_key = null } = from;
  if (resent_key !== null && (await wasResent(tx, { team_id: who.team_id, id: link }, resent_key))) return;
  if ((await attempt(tx, [byInvitations(who.team_id)])) > 0) refuse('many');
  const renewal = { team_id: who.team_id, id: link, invited_by: who.user_id, resent_key };
  const row = await renewInvitation(tx, renewal, LINK_MS.invitation);
  if (row?.role === undefined || row.role === null) throw notFound();
  if (row.role === 'owner' && !appointsOwners(own)) refuse('owners');
  await mailInvitation(tx, link, { ...from, email: row.email, role: row.role });
  await record(tx, who.by, { team_id: who.team_id, action: 'person.invite', resource_id: link, at: who.at });
}

/** Returns the current roles of the administrator and the member, locked: they may have changed since the page checked them. */
async function lockedPair(tx: Tx, who: Administrator, { user_id, joined_at }: Subject) {
  const members = await lockMembers(tx, who.team_id);
  const own = ownRole(members, who);
  const member = members.find((one) => one.user_id === user_id);
  if (!member) throw notFound();
  if (joined_at !== null && member.joined_at.getTime() !== joined_at) refuse('rejoined');
  const others = members.filter((one) => one.role === 'owner' && !one.disabled && one.user_id !== user_id);
  return { own, target: member.role, other_owners: others.length };
}

/** Returns the role of the administrator, null for an operator on the machine. */
function ownRole(members: readonly LockedMember[], { user_id }: Administrator): Role | null {
  if (user_id === null) return null;
  const role = members.find((member) => member.user_id === user_id)?.role;
  if (role === undefined || !isPermitted(role, 'person.write', 'live')) throw new Problem(403, 'Your role does not permit this.');
  return role;
}

/** Returns whether a role may appoint owners. People are the same in both environments, so the permission in live counts. */
function appointsOwners(role: Role | null): boolean {
  return role === null || isPermitted(role, 'owner.write', 'live');
}
