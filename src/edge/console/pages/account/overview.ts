import { type Html, html } from '../../../../kit/html.ts';
import { changeProfile, endSessions, selfRow } from '../../../../tenants/people/account.ts';
import { countRecoveryCodes, listPasskeys } from '../../../../tenants/people/factor-store.ts';
import { type ListedSession, listSessions } from '../../../../tenants/people/session-store.ts';
import { IDLE_MS } from '../../../../tenants/people/sessions.ts';
import { agentName } from '../../../pages/agent.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { CONSOLE_LANGUAGES } from '../../language.ts';
import { type Answer, fieldOf, type PersonVisit, redirect } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { badge, card, doneAlert, facts, field, select, table, when } from '../../parts/parts.ts';
import { personName } from '../sign-in/name.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

/** Shows the account of the person who is signed in. */
export async function showAccount(deps: ConsoleDeps, visit: PersonVisit, error?: string): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const { control } = deps.stores;
  const user = await selfRow(control, visit);
  const [passkeys, left, sessions] = await Promise.all([
    listPasskeys(control, user.id),
    countRecoveryCodes(control, user.id),
    listSessions(control, user.id, IDLE_MS),
  ]);
  const saved: Record<string, string> = { saved: texts.saved, changed: texts.changedNote };
  const link = (path: string, text: string) => html` <a href="/console/account/${path}">${text}</a>`;
  const protectedTwice = user.totp_sealed !== null || passkeys.length > 0;
  const codes = [user.totp_sealed === null ? texts.codesOff : texts.codesOn, protectedTwice ? '' : texts.stolen].join(' ');
  const keys = passkeys.length === 0 ? texts.passkeysNone : texts.passkeysCount(number(passkeys.length, visit.language));
  return {
    kind: 'page',
    title: texts.title,
    wide: true,
    ...(error === undefined ? {} : { status: 422 }),
    body: html`<h1>${texts.title}</h1>${doneAlert(saved, visit.query.done)}<p class="note">${user.email}</p>
${card(texts.profile, profileForm(visit, error))}
${card(
  texts.signingIn,
  facts([
    [texts.password, html`${user.password === null ? texts.passwordNone : texts.passwordSet}${link('password', texts.change)}`],
    [texts.codes, html`${codes}${link('codes', user.totp_sealed === null ? texts.setUp : texts.manage)}`],
    [texts.passkeys, html`${keys}${link('passkeys', texts.manage)}`],
    [texts.recovery, protectedTwice && html`${texts.recoveryLeft(number(left, visit.language))}${renewForm(visit)}`],
  ]),
)}
${card(texts.sessions, sessionList(visit, sessions))}<p><a href="/console/">${texts.toConsole}</a></p>`,
  };
}

function renewForm(visit: PersonVisit): Html {
  return html`<form method="post" action="/console/account/recovery?from=/console/account">${visit.formFields()}
<button class="link">${ACCOUNT_TEXTS[visit.language].renew}</button></form>`;
}

function profileForm(visit: PersonVisit, error: string | undefined): Html {
  const texts = ACCOUNT_TEXTS[visit.language];
  const { name, locale } = visit.session.user;
  const names: Record<string, string> = { en: 'English', fr: 'Français' };
  const languages = CONSOLE_LANGUAGES.map((one) => [one, names[one] ?? one] as const);
  return html`<form method="post" action="/console/account/profile">${visit.formFields()}
${field({ name: 'name', label: texts.name, value: error === undefined ? name : fieldOf(visit, 'name'), error, autocomplete: 'name', required: true, maxlength: 100 })}
${select({ name: 'locale', label: texts.language, value: locale ?? '' }, [['', texts.browserLanguage], ...languages])}
<div class="form-actions"><button>${texts.save}</button></div></form>`;
}

function sessionList(visit: PersonVisit, sessions: readonly ListedSession[]): Html {
  const texts = ACCOUNT_TEXTS[visit.language];
  const end = (id: string) =>
    html`<form method="post" action="/console/account/sessions">${visit.formFields()}<button class="link" name="session" value="${id}">${texts.end}</button></form>`;
  const rows = table<ListedSession>(
    texts.sessions,
    [
      { head: texts.browser, kind: 'main', cell: ({ agent }) => agentName(agent) },
      { head: texts.address, cell: ({ address }) => address ?? '—' },
      { head: texts.lastUsed, cell: ({ seen_at }) => when(seen_at, visit.language) },
      { head: texts.end, cell: ({ id }) => (id === visit.session.id ? badge(texts.thisOne, 'good') : end(id)) },
    ],
    sessions,
  );
  return html`${rows}${
    sessions.length > 1 &&
    html`<form method="post" action="/console/account/sessions">${visit.formFields()}
<button class="quiet-button" name="session" value="others">${texts.endOthers}</button></form>`
  }`;
}

/** Saves name and language. */
export async function saveProfile(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const name = personName(fieldOf(visit, 'name'));
  if (name === null) return showAccount(deps, visit, ACCOUNT_TEXTS[visit.language].nameError);
  const locale = CONSOLE_LANGUAGES.find((one) => one === fieldOf(visit, 'locale')) ?? null;
  const self = { session: visit.session, from: visit };
  await deps.stores.control.transaction((tx) => changeProfile(tx, self, { name, locale }));
  return redirect('/console/account?done=saved', locale === null ? undefined : { language: locale });
}

/** Ends one session, or all others. */
export async function endSession(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const named = fieldOf(visit, 'session');
  const self = { session: visit.session, from: visit };
  if (named !== '') await deps.stores.control.transaction((tx) => endSessions(tx, self, named === 'others' ? null : named));
  return redirect('/console/account?done=saved');
}
