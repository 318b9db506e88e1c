import { must } from '../../../../kit/errors.ts';
import { html } from '../../../../kit/html.ts';
import { attempt, byAddress } from '../../../../tenants/people/attempts.ts';
import { hasSecondFactor, listPasskeys } from '../../../../tenants/people/factor-store.ts';
import { provePasskey, siteOf } from '../../../../tenants/people/passkeys.ts';
import { attemptCode, confirmSession, presentCode, presentOwnPassword } from '../../../../tenants/people/sign-in.ts';
import { findUser } from '../../../../tenants/people/store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type PersonVisit, redirect, secretOf } from '../../page.ts';
import { field } from '../../parts/parts.ts';
import { ownPath } from '../../paths.ts';
import { SIGN_IN_TEXTS } from './texts.ts';
import { codeField, limitedText, passkeyForm, type Said, sayingPage } from './views.ts';

/** Shows which factors the person can present again. */
export async function showConfirm(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  return confirmView(deps, visit, ownPath(visit.query.to), null);
}

async function confirmView(deps: ConsoleDeps, visit: PersonVisit, to: string, said: Said | null): Promise<Answer> {
  const texts = SIGN_IN_TEXTS[visit.language];
  const { control } = deps.stores;
  const user = must(await findUser(control, visit.session.user.id), 'a session has a user');
  const passkeys = await listPasskeys(control, user.id);
  const coded = user.totp_sealed !== null || passkeys.length > 0;
  const form =
    user.password !== null &&
    html`<form method="post" action="/console/confirm">${visit.formFields()}<input type="hidden" name="to" value="${to}">
<span class="quiet" aria-hidden="true"><input name="email" autocomplete="username" value="${user.email}" tabindex="-1" readonly></span>
${field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password', required: true, autofocus: true })}
${coded && codeField(visit)}<div class="form-actions"><button>${texts.continue}</button></div></form>`;
  const nothing = user.password === null && passkeys.length === 0;
  return sayingPage(texts.confirmTitle, said, [
    html`<p>${nothing ? texts.confirmNothing : texts.confirmText}</p>`,
    html`${form}${passkeys.length > 0 && passkeyForm(deps, visit, '/console/confirm/passkey', to, texts.confirmPasskey)}`,
    html`${nothing && html`<p><a class="button" href="/console/reset">${texts.resetTitle}</a></p>`}`,
  ]);
}

/** Accepts the password, with a code from a person who has a second factor. */
export async function submitConfirm(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const to = ownPath(fieldOf(visit, 'to'));
  const wrong = { text: SIGN_IN_TEXTS[visit.language].confirmWrong, status: 422 };
  const presented = await presentOwnPassword(deps, visit, visit.session, secretOf(visit, 'password'));
  if (presented.kind === 'limited') return confirmView(deps, visit, to, limitedText(visit, presented.wait_ms));
  if (presented.kind === 'rejected') return confirmView(deps, visit, to, wrong);
  const { control } = deps.stores;
  const { user } = presented;
  const coded = await hasSecondFactor(control, user.id);
  const wait_ms = coded ? await attemptCode(deps, user.id, visit) : 0;
  if (wait_ms > 0) return confirmView(deps, visit, to, limitedText(visit, wait_ms));
  const confirmed = await control.transaction(async (tx) => {
    if (coded && !(await presentCode(tx, deps, user, fieldOf(visit, 'code'), visit))) return false;
    await confirmSession(tx, visit.session, visit);
    return true;
  });
  return confirmed ? redirect(to) : confirmView(deps, visit, to, wrong);
}

/** Accepts only a passkey of the person who is signed in. */
export async function submitConfirmPasskey(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const to = ownPath(fieldOf(visit, 'to'));
  const { control } = deps.stores;
  const wait_ms = await attempt(control, [byAddress(visit.ip)]);
  if (wait_ms > 0) return confirmView(deps, visit, to, limitedText(visit, wait_ms));
  const site = siteOf(visit.origin);
  const expected = site && { secrets: deps.secrets, site, browser: visit.browser, at: visit.at };
  const key = expected && (await provePasskey(control, expected, secretOf(visit, 'answer')));
  if (key?.user_id !== visit.session.user.id) {
    return confirmView(deps, visit, to, { text: SIGN_IN_TEXTS[visit.language].passkeyFailed, status: 422 });
  }
  await control.transaction((tx) => confirmSession(tx, visit.session, visit));
  return redirect(to);
}
