import { html } from '../../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { alert, card, idText, pageHead } from '../../../parts/parts.ts';
import { backTo, type Endpoint, endpointOf } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** Shows the confirmation of a replacement of the signing secret. */
export async function showRotate(visit: TeamVisit): Promise<Answer> {
  const texts = ENDPOINT_TEXTS[visit.language];
  const endpoint = await endpointOf(visit);
  const path = `${visit.base}/developers/endpoints/${endpoint.id}`;
  return {
    kind: 'page',
    title: texts.rotate,
    nav: '/developers',
    body: html`${backTo(visit, endpoint)}${pageHead(texts.rotate)}<section class="card narrow"><p>${texts.rotateWhat}</p>
<form method="post" action="${path}/rotate?from=${encodeURIComponent(`${path}/rotate`)}">${visit.formFields()}
<div class="form-actions"><button class="danger">${texts.rotate}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  };
}

/** Replaces the signing secret and shows the new one. A second submit replaces it again: the last one shown is valid. */
export async function rotateSecret(visit: TeamVisit): Promise<Answer> {
  const { body } = await visit.api('POST /webhooks/:id/rotate-secret', { params: { id: visit.params.id ?? '' } });
  const { webhook } = body as { webhook: Endpoint & { secret: string } };
  return secretPage(visit, webhook, webhook.secret);
}

/** Shows a signing secret, only once. */
export function secretPage(visit: TeamVisit, endpoint: Endpoint, secret: string): Answer {
  const texts = ENDPOINT_TEXTS[visit.language];
  const path = `${visit.base}/developers/endpoints/${endpoint.id}`;
  return {
    kind: 'page',
    title: texts.secretTitle,
    nav: '/developers',
    body: html`${backTo(visit, endpoint)}${pageHead(texts.secretTitle)}<div class="narrow">${alert(texts.secretOnce, 'info')}${card(
      texts.secret,
      html`<p class="secret">${idText(secret)}</p><p class="help">${texts.secretUse}</p>
<div class="form-actions"><a class="button" href="${path}">${texts.secretKept}</a></div>`,
    )}</div>`,
  };
}
