import { type Html, html } from '../../../../../kit/html.ts';
import type { Db } from '../../../../../kit/sql.ts';
import { keyState } from '../../../../../tenants/keys/service.ts';
import type { KeyRow } from '../../../../../tenants/keys/store.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import type { Fault } from '../../../parts/fault.ts';
import { alert, card, doneAlert, facts, idText, when } from '../../../parts/parts.ts';
import { keyOf, mayMake, switchFields } from './service.ts';
import { KEY_TEXTS } from './texts.ts';
import { backToKeys, ends, keyName, rights, stateBadge } from './views.ts';

/** Shows one key: its permissions, its addresses and its expiry. */
export async function showKey({ stores }: ConsoleDeps, visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language } = visit;
  const texts = KEY_TEXTS[language];
  const key = await keyOf(stores.control, visit);
  return {
    kind: 'page',
    title: keyName(key),
    nav: '/developers',
    ...(fault ? { status: fault.status } : {}),
    body: html`${backToKeys(visit)}<div class="page-head"><div><h1>${keyName(key)} ${stateBadge(key, visit)}</h1><p class="note">${texts.kinds[key.kind]}</p></div>
<div class="actions">${await actions(stores.control, visit, key, fault)}</div></div>${alert(fault?.message)}${!fault && doneAlert(texts.done, visit.query.done)}${card(
      texts.details,
      facts([
        [texts.id, idText(key.id)],
        [texts.rights, key.kind === 'restricted' ? scopesOf(key) : rights(key, language)],
        [texts.addresses, key.allowed_ips.length === 0 ? texts.anyAddress : codes(key.allowed_ips)],
        [texts.expires, ends(key, language)],
        [texts.revoked, key.revoked_at && when(key.revoked_at, language)],
        [texts.created, when(key.created_at, language)],
      ]),
    )}`,
  };
}

function codes(list: readonly string[]): Html {
  return html`<span class="dots">${list.map((one) => html`<code>${one}</code>`)}</span>`;
}

function scopesOf({ scopes }: KeyRow): Html {
  return codes(scopes);
}

async function actions(control: Db, visit: TeamVisit, key: KeyRow, fault?: Fault): Promise<Html | null> {
  const state = keyState(key, visit.at);
  if (!visit.can('key.write') || state === 'revoked') return null;
  const texts = KEY_TEXTS[visit.language];
  const path = `${visit.base}/developers/keys/${key.id}`;
  const hidden = await switchFields(control, visit, key.id, fault);
  const post = (name: 'activate' | 'deactivate') =>
    html`<form method="post" action="${path}/${name}?from=${encodeURIComponent(path)}">${hidden}<button class="quiet-button">${texts[name]}</button></form>`;
  const may = mayMake(visit, key.kind, key.scopes);
  return html`${state === 'active' && may && html`<a class="button quiet-button" href="${path}/roll">${texts.roll}</a>`}${
    state === 'active' ? post('deactivate') : state === 'inactive' && may && post('activate')
  }<a class="button danger" href="${path}/revoke">${texts.revoke}</a>`;
}
