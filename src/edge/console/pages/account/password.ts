import { html } from '../../../../kit/html.ts';
import { changePassword } from '../../../../tenants/people/account.ts';
import { hashPassword } from '../../../../tenants/people/passwords.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, type PersonVisit, redirect } from '../../page.ts';
import { newPasswordFields, readNewPassword } from '../sign-in/password.ts';
import { sayingPage } from '../sign-in/views.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

const HERE = '/console/account/password';

/** Shows the form of a new password. It does not ask for the current one, because the page needs a fresh factor. */
export async function showPassword(visit: PersonVisit, error?: string): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const page = sayingPage(texts.passwordTitle, null, [
    html`<p>${texts.passwordNote}</p>`,
    html`<form method="post" action="${HERE}?from=${HERE}">${visit.formFields()}
<span class="quiet" aria-hidden="true"><input name="email" autocomplete="username" value="${visit.session.user.email}" tabindex="-1" readonly></span>
${newPasswordFields(visit.language, error)}
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="/console/account">${texts.back}</a></div></form>`,
  ]);
  return error === undefined ? page : { ...page, status: 422 };
}

/** Changes the password. */
export async function submitNewPassword(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const { user } = visit.session;
  const read = readNewPassword(visit, [user.email, user.name]);
  if ('error' in read) return showPassword(visit, read.error);
  const hash = await hashPassword(read.password);
  await deps.stores.control.transaction((tx) => changePassword(tx, { session: visit.session, from: visit }, hash));
  return redirect('/console/account?done=changed');
}
