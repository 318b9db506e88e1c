import { type Html, html } from '../../../../kit/html.ts';
import { renewRecovery, selfRow, turnCodesOff, turnCodesOn } from '../../../../tenants/people/account.ts';
import { countRecoveryCodes, hasSecondFactor } from '../../../../tenants/people/factor-store.ts';
import type { UserRow } from '../../../../tenants/people/schema.ts';
import { type NewTotp, newTotp, readNewTotp, stepOfCode } from '../../../../tenants/people/totp.ts';
import { qrCode } from '../../../checkout/qr.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type PersonVisit, redirect } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { field } from '../../parts/parts.ts';
import { ownPath } from '../../paths.ts';
import { sayingPage } from '../sign-in/views.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

const HERE = '/console/account/codes';
const DONE = '/console/account?done=changed';

/** Shows how to set up one-time codes, or how to turn them off. */
export async function showCodes(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const user = await selfRow(deps.stores.control, visit);
  if (user.totp_sealed !== null) return managing(deps, visit, user);
  const to = visit.query.to === undefined ? null : ownPath(visit.query.to);
  return settingUp(visit, user, newTotp(deps.secrets, user), to);
}

async function managing(deps: ConsoleDeps, visit: PersonVisit, user: UserRow): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const left = await countRecoveryCodes(deps.stores.control, user.id);
  const action = (path: string, label: string, kind: string) =>
    html`<form method="post" action="${path}?from=${HERE}">${visit.formFields()}<button class="${kind}">${label}</button></form>`;
  return sayingPage(texts.codesTitle, null, [
    html`<p>${texts.codesOn} ${texts.recoveryLeft(number(left, visit.language))}</p>`,
    action('/console/account/recovery', texts.renew, 'quiet-button'),
    action('/console/account/codes/off', texts.turnOff, 'danger'),
    html`<p><a href="/console/account">${texts.back}</a></p>`,
  ]);
}

/** Returns the page that sets codes up. @param to destination of the sign-in; null when the person came from their account */
function settingUp(visit: PersonVisit, user: UserRow, made: NewTotp, to: string | null, error?: string): Answer {
  const texts = ACCOUNT_TEXTS[visit.language];
  const leave =
    to === null
      ? html`<a class="button quiet-button" href="/console/account">${texts.back}</a>`
      : html`<a class="button quiet-button" href="${to}">${texts.later}</a>`;
  if (user.password === null) {
    const first = html`<p>${texts.codesNeedPassword} <a href="/console/account/password">${texts.password}</a></p>`;
    return sayingPage(texts.codesTitle, null, [html`<p>${texts.codesWhy}</p>`, first, html`<p>${leave}</p>`]);
  }
  const key = made.secret.replace(/(.{4})(?=.)/g, '$1 ');
  const code = { name: 'code', label: texts.codeNow, error, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 10 };
  const page = sayingPage(texts.codesTitle, null, [
    html`<p>${texts.codesWhy}</p><p>${texts.scan}</p>`,
    html`<p class="code-picture">${qrCode(made.uri, texts.qrAlt)}</p><p class="note">${texts.typeIt} <code>${key}</code></p>`,
    html`<form method="post" action="${HERE}?from=${HERE}">${visit.formFields()}<input type="hidden" name="sealed" value="${made.sealed}">
${to !== null && html`<input type="hidden" name="to" value="${to}">`}${field({ ...code, required: true })}
<div class="form-actions"><button>${texts.turnOn}</button>${leave}</div></form>`,
  ]);
  return error === undefined ? page : { ...page, status: 422 };
}

/** Turns codes on when the entered one is right. */
export async function submitCodes(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const { control } = deps.stores;
  const user = await selfRow(control, visit);
  const made = readNewTotp(deps.secrets, user, fieldOf(visit, 'sealed'));
  if (made === null || user.totp_sealed !== null || user.password === null) return redirect(HERE);
  const to = fieldOf(visit, 'to') === '' ? null : ownPath(fieldOf(visit, 'to'));
  const step = stepOfCode(made, fieldOf(visit, 'code').replaceAll(/\s/g, ''), visit.at);
  if (step === null) return settingUp(visit, user, made, to, ACCOUNT_TEXTS[visit.language].codeWrong);
  const self = { session: visit.session, from: visit };
  const codes = await control.transaction((tx) => turnCodesOn(tx, self, { sealed: made.sealed, step }));
  return codes.length > 0 ? recoveryView(visit, codes, to ?? DONE) : redirect(to ?? DONE);
}

/** Turns codes off. */
export async function submitCodesOff(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  await deps.stores.control.transaction((tx) => turnCodesOff(tx, { session: visit.session, from: visit }));
  return redirect(DONE);
}

/** Replaces the recovery codes of a person who has a second factor. */
export async function submitRecovery(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  if (!(await hasSecondFactor(deps.stores.control, visit.session.user.id))) return redirect(HERE);
  const codes = await deps.stores.control.transaction((tx) => renewRecovery(tx, { session: visit.session, from: visit }));
  return recoveryView(visit, codes, DONE);
}

/** Shows recovery codes, only once. */
export function recoveryView(visit: PersonVisit, codes: readonly string[], to: string): Answer {
  const texts = ACCOUNT_TEXTS[visit.language];
  const items: Html[] = codes.map((code) => html`<li><code>${code}</code></li>`);
  return sayingPage(texts.recoveryTitle, null, [
    html`<p>${texts.recoveryText}</p><ul class="codes">${items}</ul>`,
    html`<p><a class="button" href="${to}">${texts.recoveryDone}</a></p>`,
  ]);
}
