import { must } from '../../../../kit/errors.ts';
import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import { attempt, byAddress } from '../../../../tenants/people/attempts.ts';
import { hasSecondFactor, listPasskeys } from '../../../../tenants/people/factor-store.ts';
import { provePasskey, siteOf } from '../../../../tenants/people/passkeys.ts';
import { provedAt } from '../../../../tenants/people/session-store.ts';
import { attemptCode, confirmSession, presentCode, presentOwnPassword } from '../../../../tenants/people/sign-in.ts';
import { findUser } from '../../../../tenants/people/store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type PersonVisit, redirect, secretOf } from '../../page.ts';
import { field } from '../../parts/parts.ts';
import { ownPath } from '../../paths.ts';
import { SIGN_IN_TEXTS } from './texts.ts';
import { codeField, limitedText, passkeyForm, type Said, sayingPage } from './views.ts';

/** Names of the fields of a confirmation. */
export type FactorNames = Readonly<Record<'email' | 'password' | 'code' | 'answer', string>>;

const OWN: FactorNames = { email: 'email', password: 'password', code: 'code', answer: 'answer' };

/** Target of the forms of a confirmation, and the fields that are sent with the factor. */
export interface FactorForms {
  action: string;
  passkeyAction: string;
  names: FactorNames;
  hidden: HtmlPart;
}

/** Shows the factors that the person can present again. */
export async function showConfirm(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  return confirmView(deps, visit, ownPath(visit.query.to), null);
}

async function confirmView(deps: ConsoleDeps, visit: PersonVisit, to: string, said: Said | null): Promise<Answer> {
  const texts = SIGN_IN_TEXTS[visit.language];
  const hidden = html`${visit.formFields()}<input type="hidden" name="to" value="${to}">`;
  const forms = { action: '/console/confirm', passkeyAction: '/console/confirm/passkey', names: OWN, hidden };
  return sayingPage(texts.confirmTitle, said, await factorForms(deps, visit, texts.confirmText, forms));
}

/**
 * Returns the forms by which a person presents a factor again.
 * @param why text above them
 */
export async function factorForms(deps: ConsoleDeps, visit: PersonVisit, why: string, forms: FactorForms): Promise<Html[]> {
  const texts = SIGN_IN_TEXTS[visit.language];
  const { action, passkeyAction, names, hidden } = forms;
  const { control } = deps.stores;
  const user = must(await findUser(control, visit.session.user.id), 'a session has a user');
  const passkeys = await listPasskeys(control, user.id);
  const coded = user.totp_sealed !== null || passkeys.length > 0;
  // The hidden fields come last, because the last fields of a form with very many are not read.
  const form =
    user.password !== null &&
    html`<form method="post" action="${action}">
<span class="quiet" aria-hidden="true"><input name="${names.email}" autocomplete="username" value="${user.email}" tabindex="-1" readonly></span>
${field({ name: names.password, label: texts.password, type: 'password', autocomplete: 'current-password', required: true, autofocus: true })}
${coded && codeField(visit, names.code)}<div class="form-actions"><button>${texts.continue}</button></div>${hidden}</form>`;
  const passkey = { action: passkeyAction, hidden, name: names.answer, label: texts.confirmPasskey };
  const nothing = user.password === null && passkeys.length === 0;
  return [
    html`<p>${nothing ? texts.confirmNothing : why}</p>`,
    html`${form}${passkeys.length > 0 && passkeyForm(deps, visit, passkey)}`,
    html`${nothing && html`<p><a class="button" href="/console/reset">${texts.resetTitle}</a></p>`}`,
  ];
}

/** Accepts the password, with a code from a person who has a second factor. */
export async function submitConfirm(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  return confirmed(deps, visit, await presentPassword(deps, visit, OWN));
}

/** Accepts only a passkey of the person who is signed in. */
export async function submitConfirmPasskey(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  return confirmed(deps, visit, await presentPasskey(deps, visit, OWN));
}

async function confirmed(deps: ConsoleDeps, visit: PersonVisit, said: Said | null): Promise<Answer> {
  const to = ownPath(fieldOf(visit, 'to'));
  return said ? confirmView(deps, visit, to, said) : redirect(to);
}

/**
 * Returns why a factor was rejected; null when the session got a fresh factor meanwhile. The second submit of a form presents a code or
 * passkey that the first has used up. Reporting it as wrong would report a completed action as not done.
 */
async function unlessProved({ stores }: ConsoleDeps, { session }: PersonVisit, said: Said | null): Promise<Said | null> {
  return said && (await provedAt(stores.control, session.id)) > session.proved_at ? null : said;
}

/**
 * Records a fresh factor in the session when the form has the password, and a code for a person with a second factor.
 * @returns the reason of a rejection; null when it was recorded
 */
export async function presentPassword(deps: ConsoleDeps, visit: PersonVisit, names: FactorNames): Promise<Said | null> {
  return unlessProved(deps, visit, await rightPassword(deps, visit, names));
}

async function rightPassword(deps: ConsoleDeps, visit: PersonVisit, names: FactorNames): Promise<Said | null> {
  const wrong = { text: SIGN_IN_TEXTS[visit.language].confirmWrong, status: 422 };
  const presented = await presentOwnPassword(deps, visit, visit.session, secretOf(visit, names.password));
  if (presented.kind === 'limited') return limitedText(visit, presented.wait_ms);
  if (presented.kind === 'rejected') return wrong;
  const { control } = deps.stores;
  const { user } = presented;
  const coded = await hasSecondFactor(control, user.id);
  const wait_ms = coded ? await attemptCode(deps, user.id, visit) : 0;
  if (wait_ms > 0) return limitedText(visit, wait_ms);
  return control.transaction(async (tx) => {
    if (coded && !(await presentCode(tx, deps, user, fieldOf(visit, names.code), visit))) return wrong;
    await confirmSession(tx, visit.session, visit);
    return null;
  });
}

/**
 * Records a fresh factor in the session when the form has the response of a passkey of the person.
 * @returns the reason of a rejection; null when it was recorded
 */
export async function presentPasskey(deps: ConsoleDeps, visit: PersonVisit, names: FactorNames): Promise<Said | null> {
  return unlessProved(deps, visit, await rightPasskey(deps, visit, names));
}

async function rightPasskey(deps: ConsoleDeps, visit: PersonVisit, names: FactorNames): Promise<Said | null> {
  const { control } = deps.stores;
  const wait_ms = await attempt(control, [byAddress(visit.ip)]);
  if (wait_ms > 0) return limitedText(visit, wait_ms);
  const site = siteOf(visit.origin);
  const expected = site && { secrets: deps.secrets, site, browser: visit.browser, at: visit.at };
  // One transaction, so that the challenge is used up exactly when the session has the factor.
  return control.transaction(async (tx) => {
    const key = expected && (await provePasskey(tx, expected, secretOf(visit, names.answer)));
    if (key?.user_id !== visit.session.user.id) return { text: SIGN_IN_TEXTS[visit.language].passkeyFailed, status: 422 };
    await confirmSession(tx, visit.session, visit);
    return null;
  });
}
