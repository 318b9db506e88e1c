import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import { newChallenge, requestOptions, siteOf } from '../../../../tenants/people/passkeys.ts';
import { assetPath } from '../../assets.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Answer, PageAnswer, Visit } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { alert, field } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { SIGN_IN_TEXTS } from './texts.ts';

/** Notice above a form. */
export interface Said {
  text: string;
  tone?: 'bad' | 'good' | 'info';
  status?: number;
}

/** Returns the notice after too many attempts. */
export function limitedText({ language }: Visit, wait_ms: number): Said {
  return { text: SIGN_IN_TEXTS[language].limited(number(Math.max(1, Math.ceil(wait_ms / 60_000)), language)), status: 429 };
}

/** Page on which people give their address and password, or use a passkey. */
export function signInView(deps: ConsoleDeps, visit: Visit, to: string, said: Said | null, email = ''): Answer {
  const texts = SIGN_IN_TEXTS[visit.language];
  const form = html`<form method="post" action="/console/sign-in">${visit.formFields()}<input type="hidden" name="to" value="${to}">
${field({ name: 'email', label: texts.email, type: 'email', value: email, autocomplete: 'username', required: true, autofocus: email === '', maxlength: 254 })}
${field({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password', required: true, autofocus: email !== '' })}
<div class="form-actions"><button>${texts.signIn}</button></div></form>`;
  return sayingPage(texts.title, said, [
    form,
    passkeyForm(deps, visit, toSignIn(visit, to)),
    html`<p><a href="/console/reset">${texts.forgot}</a></p>`,
  ]);
}

/** Page of the second step: a code, or a passkey. */
export function codeView(deps: ConsoleDeps, visit: Visit, half: string, to: string, said: Said | null): Answer {
  const texts = SIGN_IN_TEXTS[visit.language];
  const form = html`<form method="post" action="/console/sign-in/code">${visit.formFields()}<input type="hidden" name="to" value="${to}">
<input type="hidden" name="half" value="${half}">${codeField(visit)}
<div class="form-actions"><button>${texts.continue}</button></div></form>`;
  return sayingPage(texts.codeTitle, said, [html`<p>${texts.codeText}</p>`, form, passkeyForm(deps, visit, toSignIn(visit, to))]);
}

/** The field of a one-time code. */
export function codeField({ language }: Visit, name = 'code'): Html {
  const { code, codeHelp } = SIGN_IN_TEXTS[language];
  return field({ name, label: code, help: codeHelp, autocomplete: 'one-time-code', maxlength: 30, required: true });
}

/** Content and target of the form of a passkey. */
interface PasskeyForm {
  action: string;
  hidden: HtmlPart;
  /** Name of the field of the answer. */
  name: string;
  label: string;
}

function toSignIn(visit: Visit, to: string): PasskeyForm {
  const hidden = html`${visit.formFields()}<input type="hidden" name="to" value="${to}">`;
  return { action: '/console/sign-in/passkey', hidden, name: 'answer', label: SIGN_IN_TEXTS[visit.language].passkey };
}

/** A form that a script shows where passkeys work. */
export function passkeyForm(deps: ConsoleDeps, visit: Visit, { action, hidden, name, label }: PasskeyForm): Html {
  const texts = SIGN_IN_TEXTS[visit.language];
  const site = siteOf(visit.origin);
  if (!site) return html``;
  const options = JSON.stringify(requestOptions(site, newChallenge(deps.secrets, visit.browser, visit.at)));
  return html`<form method="post" action="${action}" data-passkey="get" data-options="${options}" hidden><input type="hidden" name="${name}" value="" data-answer>
<p class="or">${texts.or}</p><p class="alert" role="alert" data-failure hidden>${texts.passkeyFailed}</p>
<button class="quiet-button wide">${label}</button>${hidden}</form>
<script src="${assetPath('passkeys')}" defer></script>`;
}

/** A page of one column with a title, a notice and its parts. */
export function sayingPage(title: string, said: Said | null, parts: readonly Html[]): PageAnswer {
  const above = said ? alert(said.text, said.tone ?? 'bad') : null;
  return {
    kind: 'page',
    title,
    body: html`<h1>${title}</h1>${above}${parts}`,
    ...(said?.status === undefined ? {} : { status: said.status }),
  };
}

/** Returns the path of the sign-in page with a notice. */
export function signInPath(done: 'out' | 'reset'): string {
  return withQuery('/console/sign-in', { done });
}
