import { type Html, html } from '../../../../kit/html.ts';
import { person } from '../../../../tenants/audit/actor.ts';
import { attempt, byAddress } from '../../../../tenants/people/attempts.ts';
import { joinAsKnown, joinAsNew, resetPassword, useSignInLink } from '../../../../tenants/people/by-link.ts';
import { findOpenLink, type LinkRow } from '../../../../tenants/people/link-store.ts';
import { linkPath, readLinkToken } from '../../../../tenants/people/links.ts';
import { hashPassword } from '../../../../tenants/people/passwords.ts';
import { newHalf, signInByOne } from '../../../../tenants/people/sign-in.ts';
import { findUser, findUserByEmail, soughtEmail } from '../../../../tenants/people/store.ts';
import { findTeam } from '../../../../tenants/teams/store.ts';
import { ROLE_NAMES } from '../../../pages/role-names.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, redirect, type Visit } from '../../page.ts';
import { field } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { personName } from './name.ts';
import { LINK_TEXTS } from './link-texts.ts';
import { newPasswordFields, readNewPassword } from './password.ts';
import { codeView, limitedText, sayingPage, signInPath } from './views.ts';

/** Errors of the submitted form, and its input. */
interface Typed {
  name?: string;
  name_error?: string;
  password_error?: string;
}

/** Shows the effect of a link. Opening it changes nothing, because programs that check mails open links too. */
export async function showLink(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const link = await openLink(deps, visit);
  return link ? linkView(deps, visit, link, {}) : deadLink(visit);
}

async function openLink({ stores, secrets }: ConsoleDeps, { params }: Visit): Promise<LinkRow | null> {
  const id = readLinkToken(secrets, params.token ?? '');
  return id === null ? null : ((await findOpenLink(stores.control, id)) ?? null);
}

function deadLink({ language }: Visit): Answer {
  const texts = LINK_TEXTS[language];
  return sayingPage(texts.deadTitle, { text: texts.deadText, status: 404 }, [
    html`<p><a class="button quiet-button" href="/console/sign-in">${texts.signIn}</a></p>`,
  ]);
}

async function linkView(deps: ConsoleDeps, visit: Visit, link: LinkRow, typed: Typed): Promise<Answer> {
  const texts = LINK_TEXTS[visit.language];
  const form = (fields: Html, button: string) =>
    html`<form method="post" action="${linkPath(deps.secrets, link.id)}">${visit.formFields()}${fields}
<div class="form-actions"><button>${button}</button></div></form>`;
  const status = typed.name_error || typed.password_error ? 422 : 200;
  switch (link.kind) {
    case 'sign_in': {
      const user = link.user_id === null ? undefined : await findUser(deps.stores.control, link.user_id);
      return user
        ? sayingPage(texts.signInTitle, null, [html`<p>${texts.signInText(user.name)}</p>`, form(html``, texts.open)])
        : deadLink(visit);
    }
    case 'reset':
      return {
        ...sayingPage(texts.resetTitle, null, [form(newPasswordFields(visit.language, typed.password_error), texts.save)]),
        status,
      };
    case 'invitation':
      return { ...(await invitationView(deps, visit, link, typed, form)), status };
  }
}

async function invitationView(
  { stores: { control }, secrets }: ConsoleDeps,
  visit: Visit,
  link: LinkRow,
  typed: Typed,
  form: (fields: Html, button: string) => Html,
) {
  const texts = LINK_TEXTS[visit.language];
  const team = link.team_id === null ? undefined : await findTeam(control, link.team_id);
  const name = team?.name ?? '';
  const page = (parts: readonly Html[]) =>
    sayingPage(texts.inviteTitle(name), null, [
      html`<p>${texts.inviteText(name, ROLE_NAMES[visit.language][link.role ?? 'read_only'])}</p>`,
      ...parts,
    ]);
  const known = await findUserByEmail(control, link.email);
  if (!known) {
    const fields = html`${field({ name: 'name', label: texts.name, value: typed.name, error: typed.name_error, autocomplete: 'name', required: true, maxlength: 100 })}
<span class="quiet" aria-hidden="true"><input name="email" autocomplete="username" value="${link.email}" tabindex="-1" readonly></span>
${newPasswordFields(visit.language, typed.password_error)}`;
    return page([form(fields, texts.create)]);
  }
  if (visit.session?.user.id === known.id) return page([form(html``, texts.join)]);
  if (visit.session === null) {
    const to = withQuery('/console/sign-in', { to: linkPath(secrets, link.id) });
    return page([html`<p>${texts.inviteKnown(link.email)}</p>`, html`<p><a class="button" href="${to}">${texts.signIn}</a></p>`]);
  }
  return page([
    html`<p>${texts.inviteOther(link.email)}</p>`,
    html`<form method="post" action="/console/sign-out">${visit.formFields()}<button>${texts.signOut}</button></form>`,
  ]);
}

/** Uses the link, once. */
export async function submitLink(deps: ConsoleDeps, visit: Visit): Promise<Answer> {
  const link = await openLink(deps, visit);
  if (!link) return deadLink(visit);
  const wait_ms = await attempt(deps.stores.control, [byAddress(visit.ip)]);
  if (wait_ms > 0) return sayingPage(LINK_TEXTS[visit.language].inviteTitle(''), limitedText(visit, wait_ms), []);
  switch (link.kind) {
    case 'sign_in':
      return submitSignInLink(deps, visit, link);
    case 'reset':
      return submitNewPassword(deps, visit, link);
    case 'invitation':
      return submitInvitation(deps, visit, link);
  }
}

/** Signs in with a link, which replaces the password. A person with a second factor still has to present it. */
async function submitSignInLink(deps: ConsoleDeps, visit: Visit, link: LinkRow): Promise<Answer> {
  const { stores, secrets } = deps;
  const to = link.team_id === null ? '/console/' : `/console/${link.team_id}/sandbox`;
  return stores.control.transaction(async (tx): Promise<Answer> => {
    const used = await useSignInLink(tx, link.id);
    if (!used) return deadLink(visit);
    const session = await signInByOne(tx, secrets, used.user, visit, visit.session);
    return session === null ? codeView(deps, visit, newHalf(secrets, used.user, visit), to, null) : redirect(to, { session });
  });
}

async function submitNewPassword(deps: ConsoleDeps, visit: Visit, link: LinkRow): Promise<Answer> {
  const read = readNewPassword(visit, [link.email]);
  if ('error' in read) return linkView(deps, visit, link, { password_error: read.error });
  const hash = await hashPassword(read.password);
  const done = await deps.stores.control.transaction((tx) => resetPassword(tx, link.id, hash, visit));
  return done ? redirect(signInPath('reset'), { session: null }) : deadLink(visit);
}

async function submitInvitation(deps: ConsoleDeps, visit: Visit, link: LinkRow): Promise<Answer> {
  const { control } = deps.stores;
  const { session, request_id, ip, at } = visit;
  if (await findUserByEmail(control, link.email)) {
    if (session === null || soughtEmail(session.user.email) !== soughtEmail(link.email)) return linkView(deps, visit, link, {});
    const by = person(session.user.id, session.id, request_id, ip);
    const team = await control.transaction((tx) => joinAsKnown(tx, link.id, session, by, at));
    return team === null ? deadLink(visit) : redirect(`/console/${team}/sandbox`);
  }
  const name = personName(fieldOf(visit, 'name'));
  const read = readNewPassword(visit, [link.email, fieldOf(visit, 'name')]);
  if (name === null || 'error' in read) {
    return linkView(deps, visit, link, {
      name: fieldOf(visit, 'name'),
      ...(name === null ? { name_error: LINK_TEXTS[visit.language].nameError } : {}),
      ...('error' in read ? { password_error: read.error } : {}),
    });
  }
  const hash = await hashPassword(read.password);
  const cookie = await control.transaction((tx) => joinAsNew(tx, deps, link.id, { name, hash }, visit, session));
  if (cookie === null) return deadLink(visit);
  return redirect(withQuery('/console/account/codes', { to: `/console/${link.team_id}/sandbox` }), { session: cookie });
}
