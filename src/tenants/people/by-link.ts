import { must, Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Actor } from '../audit/actor.ts';
import { record, recordAll } from '../audit/record.ts';
import { attempt, byMail } from './attempts.ts';
import type { Origin, PeopleDeps } from './deps.ts';
import { findOpenLink, insertReset, type LinkRow, revokeLinks, useLink } from './link-store.ts';
import { LINK_MS } from './links.ts';
import type { Session, UserRow } from './schema.ts';
import { revokeSessions } from './session-store.ts';
import { accountOf, mailSecurity, signIn } from './sign-in.ts';
import { findUser, insertMembership, insertUser, lockUser, setPassword, soughtEmail } from './store.ts';

/** Returns the actor for a person who acts by a link, without a session. */
function holderOf(user_id: string, from: Origin): Actor {
  return { kind: 'user', id: user_id, request_id: from.request_id, address: from.ip };
}

/** Sends a link to an e-mail address if it belongs to a user. The response does not reveal whether it does. */
export async function askReset({ stores: { control }, secrets }: PeopleDeps, from: Origin, email: string): Promise<void> {
  // Above the limit nothing is sent, so that the form cannot be used to flood a mailbox.
  if ((await attempt(control, [byMail(accountOf(secrets, email))])) > 0) return;
  const id = newId('ulk', 'live', from.at);
  await insertReset(control, { id, email, lives_ms: LINK_MS.reset, facts: { link: id, language: from.language } });
}

/**
 * Sets the password of the person to whom the link of a reset was sent. Every session of theirs ends; their other factors stay.
 * @returns false when the link was used or is too old
 */
export async function resetPassword(tx: Tx, link_id: string, hash: string, from: Origin): Promise<boolean> {
  const { user_id = null } = (await findOpenLink(tx, link_id)) ?? {};
  const user = user_id === null ? undefined : await lockUser(tx, user_id);
  if (!user || (await useLink(tx, link_id))?.kind !== 'reset') return false;
  await setPassword(tx, user.id, hash);
  await revokeSessions(tx, user.id);
  await revokeLinks(tx, user.id, 'reset');
  await record(tx, holderOf(user.id, from), { team_id: null, action: 'person.password', resource_id: user.id, at: from.at });
  await mailSecurity(tx, user, 'password', from);
  return true;
}

/** Uses the link of a first sign-in, or of a person who cannot sign in. Returns the person; null when it is not valid any more. */
export async function useSignInLink(tx: Tx, link_id: string): Promise<{ user: UserRow; team_id: bigint | null } | null> {
  const link = await useLink(tx, link_id);
  const user = link?.kind === 'sign_in' && link.user_id !== null ? await findUser(tx, link.user_id) : undefined;
  return link && user && user.disabled_at === null ? { user, team_id: link.team_id } : null;
}

/**
 * Creates the person whom an invitation names, as a member of its team, and signs them in.
 * @param before the session that the browser has; it ends
 * @returns the session's cookie; null when the invitation is not valid any more
 * @throws Problem 409 when its address has a user by now; the invitation stays open
 */
export async function joinAsNew(
  tx: Tx,
  { secrets }: PeopleDeps,
  link_id: string,
  { name, hash }: { name: string; hash: string },
  from: Origin,
  before: Session | null,
): Promise<string | null> {
  const link = await useLink(tx, link_id);
  if (!link) return null;
  const { team_id, role } = invitationOf(link);
  const id = newId('usr', 'live', from.at);
  const user = { id, email: link.email, name, password: hash, locale: from.language, operator: false };
  if (!(await insertUser(tx, user)))
    throw new Problem(409, 'This address has an account by now. Sign in, then open the link again.');
  await insertMembership(tx, team_id, id, role);
  const at = { by: holderOf(id, from), at: from.at, resource_id: id };
  await recordAll(tx, [
    { ...at, team_id: null, action: 'person.create' },
    { ...at, team_id, action: 'person.join' },
  ]);
  return signIn(tx, secrets, { ...user, disabled_at: null, totp_sealed: null }, from, before);
}

/**
 * Adds the person who is signed in to the team of an invitation that was sent to their address. One who is in the team by now keeps the role.
 * @returns the team; null when the invitation is not valid any more
 * @throws Problem 403 when it is another person's; it stays open
 */
export async function joinAsKnown(tx: Tx, link_id: string, session: Session, by: Actor, at: number): Promise<bigint | null> {
  const link = await useLink(tx, link_id);
  if (!link) return null;
  const { team_id, role, email } = invitationOf(link);
  if (soughtEmail(email) !== soughtEmail(session.user.email)) throw new Problem(403, 'This invitation is for another person.');
  if (await insertMembership(tx, team_id, session.user.id, role)) {
    await record(tx, by, { team_id, action: 'person.join', resource_id: session.user.id, at });
  }
  return team_id;
}

function invitationOf({ email, team_id, role }: LinkRow) {
  return { email, team_id: must(team_id, 'an invitation names a team'), role: must(role, 'an invitation names a role') };
}
