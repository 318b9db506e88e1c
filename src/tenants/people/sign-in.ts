import { type Secrets, sameText, sha256 } from '../../kit/crypto.ts';
import { must, Problem } from '../../kit/errors.ts';
import type { Tx } from '../../kit/sql.ts';
import { person } from '../audit/actor.ts';
import { record } from '../audit/record.ts';
import { attempt, byAccount, byAddress, byCode, byDevice } from './attempts.ts';
import type { Origin, PeopleDeps } from './deps.ts';
import { hasSecondFactor } from './factor-store.ts';
import { forgetAttempts } from './failure-store.ts';
import { queueUserMail } from './mail-store.ts';
import type { SecurityChange } from './mails.ts';
import { isPassword, MAX_PASSWORD } from './passwords.ts';
import { useRecovery } from './recovery.ts';
import type { Session, User, UserRow } from './schema.ts';
import { earlierSessions, proveSession, revokeSession } from './session-store.ts';
import { openSession } from './sessions.ts';
import { findSignIn, findUser, lockUser, soughtEmail } from './store.ts';
import { useTotp } from './totp.ts';

/** Maximum time for the second step, in milliseconds. */
const HALF_MS = 5 * 60_000;
const MAX_EMAIL = 254;

/** Outcome of a factor that was presented. */
export type Presented =
  | { kind: 'accepted'; user: UserRow }
  /** Wrong, unknown or disabled. The response does not reveal which. */
  | { kind: 'rejected' }
  | { kind: 'limited'; wait_ms: number };

/** Returns the name under which attempts for an e-mail address are counted: a keyed hash, because the table must not reveal addresses. */
export function accountOf(secrets: Secrets, email: string): string {
  return secrets.mac('sign-in-account', soughtEmail(email.slice(0, MAX_EMAIL)));
}

/**
 * Compares an e-mail address and a password. An unknown address, a disabled user and a user without a password take the same
 * statements and the same hash as a wrong password.
 */
export async function presentPassword(
  { stores: { control }, secrets }: PeopleDeps,
  from: Origin,
  email: string,
  password: string,
): Promise<Presented> {
  const device = sha256(from.browser);
  const user = await findSignIn(control, email.slice(0, MAX_EMAIL), device);
  const wait_ms = await attempt(control, [byAddress(from.ip), passwordLimit(secrets, user, email, device)]);
  if (wait_ms > 0) return { kind: 'limited', wait_ms };
  const usable = user && user.disabled_at === null && password.length <= MAX_PASSWORD ? user : undefined;
  const right = await isPassword(password.slice(0, MAX_PASSWORD), usable?.password ?? null);
  return right && usable ? { kind: 'accepted', user: usable } : { kind: 'rejected' };
}

function passwordLimit(
  secrets: Secrets,
  user: { id: string; known_browser: boolean } | undefined,
  email: string,
  device: Buffer,
) {
  return user?.known_browser ? byDevice(user.id, device.toString('base64url')) : byAccount(accountOf(secrets, email));
}

/** Verifies a one-time code or a recovery code, in the transaction of the action that it permits. An accepted code is used up. */
export async function presentCode(tx: Tx, { secrets }: PeopleDeps, user: UserRow, code: string, from: Origin): Promise<boolean> {
  const bare = code.replaceAll(/\s/g, '');
  if (await useTotp(tx, secrets, user, bare, from.at)) return true;
  if (!(await useRecovery(tx, user.id, code))) return false;
  await mailSecurity(tx, user, 'recovery_used', from);
  return true;
}

/** Counts an attempt to present a code. @returns milliseconds until the next attempt is permitted; 0 when this one is */
export function attemptCode({ stores }: PeopleDeps, user_id: string, from: Origin): Promise<number> {
  return attempt(stores.control, [byAddress(from.ip), byCode(user_id)]);
}

/**
 * Returns the proof that the password was right, which the form of the second step carries. It is bound to the browser and to the
 * stored hash, and valid for minutes.
 */
export function newHalf(secrets: Secrets, user: Pick<UserRow, 'id' | 'password'>, from: Origin): string {
  return `${user.id}.${from.at}.${macOfHalf(secrets, user, from.browser, from.at)}`;
}

/** Returns the person whose password was right; null when the proof is not valid any more. */
export async function readHalf({ stores, secrets }: PeopleDeps, half: string, from: Origin): Promise<UserRow | null> {
  const [user_id = '', time = '', mac = ''] = half.split('.', 3);
  const age_ms = from.at - Number(time);
  const user = await findUser(stores.control, user_id);
  if (!user || user.disabled_at !== null || !/^\d{1,16}$/.test(time) || !(age_ms <= HALF_MS)) return null;
  return sameText(mac, macOfHalf(secrets, user, from.browser, Number(time))) ? user : null;
}

function macOfHalf(secrets: Secrets, user: Pick<UserRow, 'id' | 'password'>, browser: string, at: number): string {
  return secrets.mac('console-half', `${browser}|${user.id}|${at}|${user.password}`);
}

/**
 * Verifies that the factors of a person have not changed since they presented them, and locks them until the transaction ends. A
 * password that is replaced during the comparison would otherwise open a session that the replacement does not end.
 * @throws Problem 409 when they have changed
 */
export async function holdFactors(tx: Tx, user: SignsIn): Promise<void> {
  const now = await lockUser(tx, user.id);
  const { password, totp_sealed } = user;
  if (now?.disabled_at === null && now.password === password && now.totp_sealed === totp_sealed) return;
  throw new Problem(409, 'How you sign in has changed meanwhile. Sign in again.');
}

/** A person with the factors that they presented. */
type SignsIn = Omit<UserRow, 'totp_step'>;

/**
 * Signs a person in with a new session, whatever session this browser had before.
 * @param before the session that the browser has; it ends
 * @returns the value of the session's cookie
 * @throws Problem as {@link holdFactors} does
 */
export async function signIn(tx: Tx, secrets: Secrets, user: SignsIn, from: Origin, before: Session | null): Promise<string> {
  await holdFactors(tx, user);
  const device = sha256(from.browser);
  const earlier = await earlierSessions(tx, user.id, device);
  if (before) await revokeSession(tx, before.user.id, before.id);
  const { id, cookie } = await openSession(tx, user.id, { address: from.ip, agent: from.agent, browser: from.browser }, from.at);
  const by = person(user.id, id, from.request_id, from.ip);
  await record(tx, by, { team_id: null, action: 'session.open', resource_id: id, at: from.at });
  if (earlier.any && !earlier.here) {
    const facts = { address: from.ip, agent: from.agent.slice(0, 300), at: new Date(from.at).toISOString() };
    await queueUserMail(tx, {
      kind: 'new_device',
      facts: { ...facts, language: user.locale ?? from.language },
      recipient: user.email,
    });
  }
  const names = [byAccount(accountOf(secrets, user.email)), byDevice(user.id, device.toString('base64url')), byCode(user.id)];
  await forgetAttempts(
    tx,
    names.map(({ name }) => name),
    byAddress(from.ip).name,
  );
  return cookie;
}

/**
 * Signs a person in who has presented one factor, unless there is a second one to present.
 * @returns as {@link signIn}; null when the person has a second factor
 * @throws Problem as {@link holdFactors} does
 */
export async function signInByOne(
  tx: Tx,
  secrets: Secrets,
  user: SignsIn,
  from: Origin,
  before: Session | null,
): Promise<string | null> {
  // First, so that a factor that is added meanwhile is found.
  await holdFactors(tx, user);
  return (await hasSecondFactor(tx, user.id)) ? null : signIn(tx, secrets, user, from, before);
}

/** Records in a session that its person has just presented their factors again. */
export async function confirmSession(tx: Tx, session: Session, from: Origin): Promise<void> {
  await proveSession(tx, session.id);
  const names = [byCode(session.user.id).name, byAccount(`session|${session.id}`).name];
  await forgetAttempts(tx, names, byAddress(from.ip).name);
}

/** Verifies the password of a person who is signed in. */
export async function presentOwnPassword(
  { stores: { control } }: PeopleDeps,
  from: Origin,
  session: Session,
  password: string,
): Promise<Presented> {
  const wait_ms = await attempt(control, [byAddress(from.ip), byAccount(`session|${session.id}`)]);
  if (wait_ms > 0) return { kind: 'limited', wait_ms };
  const user = must(await findUser(control, session.user.id), 'a session has a user');
  const fits = password.length <= MAX_PASSWORD;
  const right = await isPassword(password.slice(0, MAX_PASSWORD), fits ? user.password : null);
  return right ? { kind: 'accepted', user } : { kind: 'rejected' };
}

/** Reports a change of how a person signs in, by mail. */
export function mailSecurity(tx: Tx, user: Pick<User, 'email' | 'locale'>, change: SecurityChange, from: Origin): Promise<void> {
  const facts = { change, at: new Date(from.at).toISOString(), language: user.locale ?? from.language };
  return queueUserMail(tx, { kind: 'security', facts, recipient: user.email });
}
