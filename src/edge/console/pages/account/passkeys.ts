import { Problem } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { passkeyAdded, removePasskey, selfRow } from '../../../../tenants/people/account.ts';
import { listPasskeys, type PasskeyRow } from '../../../../tenants/people/factor-store.ts';
import { addPasskey, creationOptions, newChallenge, type Site, siteOf } from '../../../../tenants/people/passkeys.ts';
import type { UserRow } from '../../../../tenants/people/schema.ts';
import { assetPath } from '../../assets.ts';
import { agentName } from '../../../pages/agent.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type PersonVisit, redirect, secretOf } from '../../page.ts';
import { field, table, when } from '../../parts/parts.ts';
import { personName } from '../sign-in/name.ts';
import { type Said, sayingPage } from '../sign-in/views.ts';
import { recoveryView } from './codes.ts';
import { ACCOUNT_TEXTS } from './texts.ts';

const HERE = '/console/account/passkeys';
const DONE = '/console/account?done=changed';
const MAX_PASSKEYS = 20;

/** Shows the passkeys of the person. */
export async function showPasskeys(deps: ConsoleDeps, visit: PersonVisit, said: Said | null = null): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const user = await selfRow(deps.stores.control, visit);
  const known = await listPasskeys(deps.stores.control, user.id);
  const site = siteOf(visit.origin);
  return sayingPage(texts.passkeysTitle, said, [
    html`<p>${texts.passkeysText}</p>${known.length > 0 && list(visit, known)}`,
    site ? adding(deps, visit, site, user, known) : html`<p class="note">${texts.passkeysNowhere(visit.origin)}</p>`,
    html`<p><a href="/console/account">${texts.back}</a></p>`,
  ]);
}

function list(visit: PersonVisit, known: readonly PasskeyRow[]): Html {
  const texts = ACCOUNT_TEXTS[visit.language];
  return table<PasskeyRow>(
    texts.passkeysTitle,
    [
      { head: texts.passkeyName, kind: 'main', cell: ({ name }) => name },
      { head: texts.used, cell: ({ used_at }) => (used_at ? when(used_at, visit.language) : texts.never) },
      {
        head: texts.remove,
        cell: ({ id, name }) =>
          html`<form method="post" action="${HERE}/remove?from=${HERE}">${visit.formFields()}
<button class="link" name="id" value="${id}" aria-label="${texts.remove} ${name}">${texts.remove}</button></form>`,
      },
    ],
    known,
  );
}

function adding(deps: ConsoleDeps, visit: PersonVisit, site: Site, user: UserRow, known: readonly PasskeyRow[]): Html {
  const texts = ACCOUNT_TEXTS[visit.language];
  const options = JSON.stringify(creationOptions(site, newChallenge(deps.secrets, visit.browser, visit.at), user, known));
  return html`<form method="post" action="${HERE}?from=${HERE}" data-passkey="create" data-options="${options}" hidden>${visit.formFields()}
<input type="hidden" name="answer" value="" data-answer>
${field({ name: 'name', label: texts.passkeyName, value: agentName(visit.agent), required: true, maxlength: 100 })}
<p class="alert" role="alert" data-failure hidden>${texts.passkeyFailed}</p>
<div class="form-actions"><button>${texts.passkeyAdd}</button></div></form><script src="${assetPath('passkeys')}" defer></script>`;
}

/** Registers the passkey that the browser made. */
export async function submitPasskeyNew(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const texts = ACCOUNT_TEXTS[visit.language];
  const { secrets, stores } = deps;
  const site = siteOf(visit.origin);
  const name = personName(fieldOf(visit, 'name')) ?? agentName(visit.agent);
  const self = { session: visit.session, from: visit };
  const known = await listPasskeys(stores.control, visit.session.user.id);
  if (!site || known.length >= MAX_PASSKEYS) return showPasskeys(deps, visit, { text: texts.passkeyFailed, status: 422 });
  try {
    const codes = await stores.control.transaction(async (tx) => {
      const expected = { secrets, site, browser: visit.browser, at: visit.at };
      await addPasskey(tx, expected, visit.session.user.id, name, secretOf(visit, 'answer'));
      return passkeyAdded(tx, self);
    });
    return codes.length > 0 ? recoveryView(visit, codes, DONE) : redirect(DONE);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return showPasskeys(deps, visit, { text: texts.passkeyFailed, status: 422 });
  }
}

/** Removes a passkey. */
export async function submitPasskeyRemoval(deps: ConsoleDeps, visit: PersonVisit): Promise<Answer> {
  const self = { session: visit.session, from: visit };
  await deps.stores.control.transaction((tx) => removePasskey(tx, self, fieldOf(visit, 'id')));
  return redirect(DONE);
}
