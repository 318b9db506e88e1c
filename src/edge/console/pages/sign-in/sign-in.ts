import { entryOf } from '../../../../kit/entry-of.ts';
import type { Tx } from '../../../../kit/sql.ts';
import { person } from '../../../../tenants/audit/actor.ts';
import { record } from '../../../../tenants/audit/record.ts';
import { attempt, byAddress } from '../../../../tenants/people/attempts.ts';
import { provePasskey, siteOf } from '../../../../tenants/people/passkeys.ts';
import type { UserRow } from '../../../../tenants/people/schema.ts';
import { revokeSession } from '../../../../tenants/people/session-store.ts';
import {
  attemptCode,
  holdFactors,
  newHalf,
  presentCode,
  presentPassword,
  readHalf,
  signIn,
  signInByOne,
} from '../../../../tenants/people/sign-in.ts';
import { findUser } from '../../../../tenants/people/store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, redirect, secretOf, type Visit } from '../../page.ts';
import { ownPath, withQuery } from '../../paths.ts';
import { SIGN_IN_TEXTS } from './texts.ts';
import { codeView, limitedText, type Said, signInPath, signInView } from './views.ts';

/** Shows the form, unless there is a session already. */
export async function showSignIn(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const to = ownPath(visit.query.to);
  if (visit.session) return redirect(to);
  const texts = SIGN_IN_TEXTS[visit.language];
  const said: Record<string, Said> = {
    out: { text: texts.signedOut, tone: 'info' },
    reset: { text: texts.resetDone, tone: 'good' },
  };
  return signInView(deps, visit, to, entryOf(said, visit.query.done ?? '') ?? null);
}

/** First step: address and password. */
export async function submitPassword(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const to = ownPath(fieldOf(visit, 'to'));
  const email = fieldOf(visit, 'email');
  const presented = await presentPassword(deps, visit, email, secretOf(visit, 'password'));
  switch (presented.kind) {
    case 'limited':
      return signInView(deps, visit, to, limitedText(visit, presented.wait_ms), email);
    case 'rejected':
      return signInView(deps, visit, to, { text: SIGN_IN_TEXTS[visit.language].rejected, status: 422 }, email);
    case 'accepted':
      return afterFirstFactor(deps, visit, presented.user, to);
  }
}

/** Requests the second factor of a person who has one. Others are signed in, and invited to set one up. */
export async function afterFirstFactor(deps: ConsoleDeps, visit: Visit, user: UserRow, to: string): Promise<Answer> {
  const { control } = deps.stores;
  const session = await control.transaction((tx) => signInByOne(tx, deps.secrets, user, visit, visit.session));
  if (session === null) return codeView(deps, visit, newHalf(deps.secrets, user, visit), to, null);
  return redirect(withQuery('/console/account/codes', { to }), { session });
}

/** Second step: a one-time code or a recovery code. */
export async function submitCode(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const texts = SIGN_IN_TEXTS[visit.language];
  const to = ownPath(fieldOf(visit, 'to'));
  const half = fieldOf(visit, 'half');
  const user = await readHalf(deps, half, visit);
  if (!user) return signInView(deps, visit, to, { text: texts.expired, status: 422 });
  const wait_ms = await attemptCode(deps, user.id, visit);
  if (wait_ms > 0) return codeView(deps, visit, half, to, limitedText(visit, wait_ms));
  const session = await deps.stores.control.transaction(async (tx: Tx) => {
    await holdFactors(tx, user);
    const right = await presentCode(tx, deps, user, fieldOf(visit, 'code'), visit);
    return right ? signIn(tx, deps.secrets, user, visit, visit.session) : null;
  });
  if (session === null) return codeView(deps, visit, half, to, { text: texts.codeWrong, status: 422 });
  return redirect(to, { session });
}

/** Signs in by a passkey, which is both factors: the authenticator has verified its user. */
export async function submitPasskey(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const to = ownPath(fieldOf(visit, 'to'));
  const { control } = deps.stores;
  const wait_ms = await attempt(control, [byAddress(visit.ip)]);
  if (wait_ms > 0) return signInView(deps, visit, to, limitedText(visit, wait_ms));
  const site = siteOf(visit.origin);
  const { secrets } = deps;
  const expected = site && { secrets, site, browser: visit.browser, at: visit.at };
  // One transaction, so that a passkey that is removed meanwhile opens no session.
  const session = await control.transaction(async (tx: Tx) => {
    const key = expected && (await provePasskey(tx, expected, secretOf(visit, 'answer')));
    const user = key ? await findUser(tx, key.user_id) : undefined;
    return user && user.disabled_at === null ? signIn(tx, secrets, user, visit, visit.session) : null;
  });
  if (session === null) {
    return signInView(deps, visit, to, { text: SIGN_IN_TEXTS[visit.language].passkeyFailed, status: 422 });
  }
  return redirect(to, { session });
}

/** Ends the session. */
export async function signOut({ stores }: ConsoleDeps, visit: Visit): Promise<Answer> {
  const { session, request_id, ip, at } = visit;
  if (session) {
    await stores.control.transaction(async (tx) => {
      await revokeSession(tx, session.user.id, session.id);
      const by = person(session.user.id, session.id, request_id, ip);
      await record(tx, by, { team_id: null, action: 'session.close', resource_id: session.id, at });
    });
  }
  return redirect(signInPath('out'), { session: null });
}
