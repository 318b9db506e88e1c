import { html } from '../../../../../kit/html.ts';
import { untilChangeIsKnown } from '../../../../../tenants/keys/service.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { field, pageHead } from '../../../parts/parts.ts';
import { keyOf, revokePermanently } from './service.ts';
import { KEY_TEXTS } from './texts.ts';
import { backToKeys, keyName } from './views.ts';

/** Shows the confirmation of a revocation, which requires the last four characters of the key. */
export async function showRevoke({ stores }: ConsoleDeps, visit: TeamVisit, typed?: string): Promise<Answer> {
  const key = await keyOf(stores.control, visit);
  const path = `${visit.base}/developers/keys/${key.id}`;
  if (key.revoked_at) return redirect(path);
  const texts = KEY_TEXTS[visit.language];
  return {
    kind: 'page',
    title: texts.revoke,
    nav: '/developers',
    ...(typed === undefined ? {} : { status: 422 }),
    body: html`${backToKeys(visit, key)}${pageHead(texts.revoke)}<section class="card narrow"><p><code>${keyName(key)}</code></p><p>${texts.revokeWhat}</p>
<form method="post" action="${path}/revoke?from=${encodeURIComponent(`${path}/revoke`)}">${visit.formFields()}
${field({ name: 'confirm', label: texts.revokeType(key.last4), value: typed, error: typed === undefined ? undefined : texts.revokeWrong, autocomplete: 'off', required: true, maxlength: 10 })}
<div class="form-actions"><button class="danger">${texts.revoke}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  };
}

/** Revokes the key whose last characters were typed. Answers when no node accepts it any more. */
export async function revoke(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const { control } = deps.stores;
  const key = await keyOf(control, visit);
  const typed = fieldOf(visit, 'confirm');
  if (typed !== key.last4) return showRevoke(deps, visit, typed);
  await revokePermanently(control, visit);
  await untilChangeIsKnown();
  return redirect(`${visit.base}/developers/keys/${key.id}?done=revoke`);
}
