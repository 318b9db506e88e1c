import { must, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import type { Action } from '../audit/actions.ts';
import { person } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import type { Origin } from './deps.ts';
import { countRecoveryCodes, deletePasskey, hasSecondFactor, replaceRecoveryCodes, setTotp } from './factor-store.ts';
import { revokeLinks } from './link-store.ts';
import type { SecurityChange } from './mails.ts';
import { renewRecoveryCodes } from './recovery.ts';
import type { Session, UserRow } from './schema.ts';
import { provedAt, revokeSession, revokeSessions } from './session-store.ts';
import { mailSecurity } from './sign-in.ts';
import { findUser, lockUser, setPassword, setProfile } from './store.ts';

/** A person who changes their own account. */
export interface Self {
  session: Session;
  from: Origin;
}

/** Writes the audit entry of a change of one's own account. */
export function recordSelf(
  tx: Tx,
  { session, from }: Self,
  action: Action,
  resource_id: string = session.user.id,
): Promise<void> {
  const by = person(session.user.id, session.id, from.request_id, from.ip);
  return record(tx, by, { team_id: null, action, resource_id, at: from.at });
}

/**
 * Locks the person before a change of their factors, so that no sign-in takes place meanwhile.
 * @throws Problem 403 when the session was revoked since its request arrived: the change could undo the reason for it
 */
async function hold(tx: Tx, { session }: Self): Promise<void> {
  await lockUser(tx, session.user.id);
  if ((await provedAt(tx, session.id)) === 0) throw new Problem(403, 'You are signed out: sign in and repeat what you did.');
}

/** Completes a change of how a person signs in: ends all their other sessions, writes an audit entry and queues a mail. */
async function changed(tx: Tx, self: Self, action: Action, change: SecurityChange): Promise<void> {
  const { session, from } = self;
  await revokeSessions(tx, session.user.id, session.id);
  await recordSelf(tx, self, action);
  await mailSecurity(tx, session.user, change, from);
}

/** Changes the name and the language of the person. */
export async function changeProfile(tx: Tx, self: Self, profile: { name: string; locale: string | null }): Promise<void> {
  await setProfile(tx, self.session.user.id, profile);
  await recordSelf(tx, self, 'person.update');
}

/** Changes the password of the person, and ends all their other sessions. */
export async function changePassword(tx: Tx, self: Self, hash: string): Promise<void> {
  await hold(tx, self);
  await setPassword(tx, self.session.user.id, hash);
  // A link that another person has read could replace the new password.
  await revokeLinks(tx, self.session.user.id, 'reset');
  await changed(tx, self, 'person.password', 'password');
}

/**
 * Turns one-time codes on.
 * @param proved the sealed secret, and the step of the code that proved it
 * @returns recovery codes to be shown once; none when the person has some
 */
export async function turnCodesOn(tx: Tx, self: Self, proved: { sealed: string; step: bigint }): Promise<string[]> {
  await hold(tx, self);
  await setTotp(tx, self.session.user.id, proved.sealed, proved.step);
  await changed(tx, self, 'person.codes_on', 'codes_on');
  return firstRecoveryCodes(tx, self);
}

/** Turns one-time codes off. */
export async function turnCodesOff(tx: Tx, self: Self): Promise<void> {
  await hold(tx, self);
  await setTotp(tx, self.session.user.id, null, null);
  await forgetUselessRecovery(tx, self);
  await changed(tx, self, 'person.codes_off', 'codes_off');
}

/** Replaces the recovery codes. The earlier ones are not accepted any more. */
export async function renewRecovery(tx: Tx, self: Self): Promise<string[]> {
  await hold(tx, self);
  const codes = await renewRecoveryCodes(tx, self.session.user.id);
  await changed(tx, self, 'person.recovery', 'recovery_renewed');
  return codes;
}

/** Records that a passkey was added. Returns recovery codes as {@link turnCodesOn} does. */
export async function passkeyAdded(tx: Tx, self: Self): Promise<string[]> {
  await hold(tx, self);
  await changed(tx, self, 'person.passkey_add', 'passkey_added');
  return firstRecoveryCodes(tx, self);
}

/** Removes a passkey; false when the person has none with this id. */
export async function removePasskey(tx: Tx, self: Self, id: string): Promise<boolean> {
  if (!(await deletePasskey(tx, self.session.user.id, id))) return false;
  await hold(tx, self);
  await forgetUselessRecovery(tx, self);
  await changed(tx, self, 'person.passkey_remove', 'passkey_removed');
  return true;
}

async function firstRecoveryCodes(tx: Tx, { session }: Self): Promise<string[]> {
  return (await countRecoveryCodes(tx, session.user.id)) > 0 ? [] : renewRecoveryCodes(tx, session.user.id);
}

/** Removes recovery codes without a second factor: they replace one, and must not become a factor of their own. */
async function forgetUselessRecovery(tx: Tx, { session }: Self): Promise<void> {
  if (!(await hasSecondFactor(tx, session.user.id))) await replaceRecoveryCodes(tx, session.user.id, []);
}

/** Ends one session of the person, or all but the current one (null). */
export async function endSessions(tx: Tx, self: Self, id: string | null): Promise<void> {
  const { user, id: current } = self.session;
  if (id === null) await revokeSessions(tx, user.id, current);
  else if (!(await revokeSession(tx, user.id, id))) return;
  await recordSelf(tx, self, 'session.revoke', id ?? user.id);
}

/** Returns the stored row of the person. */
export async function selfRow(tx: Parameters<typeof findUser>[0], { session }: Pick<Self, 'session'>): Promise<UserRow> {
  return must(await findUser(tx, session.user.id), 'a session has a user');
}
