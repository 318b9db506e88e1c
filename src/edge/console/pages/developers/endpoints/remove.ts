import { html } from '../../../../../kit/html.ts';
import { doneOnce, isRecorded } from '../../../done-once.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { pageHead } from '../../../parts/parts.ts';
import { backTo, endpointOf } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** Shows the confirmation of a deletion. */
export async function showDelete(visit: TeamVisit): Promise<Answer> {
  const texts = ENDPOINT_TEXTS[visit.language];
  const endpoint = await endpointOf(visit);
  const path = `${visit.base}/developers/endpoints/${endpoint.id}`;
  return {
    kind: 'page',
    title: texts.delete,
    nav: '/developers',
    body: html`${backTo(visit, endpoint)}${pageHead(texts.delete)}<section class="card narrow"><p class="address">${endpoint.url}</p><p>${texts.deleteWhat}</p>
<form method="post" action="${path}/delete">${visit.formFields()}
<div class="form-actions"><button class="danger">${texts.delete}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  };
}

/** Deletes the endpoint. */
export async function deleteEndpoint(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  await doneOnce(
    () => visit.api('DELETE /webhooks/:id', { params: { id } }),
    () => isRecorded(visit, 'webhook.delete', id),
  );
  return redirect(`${visit.base}/developers/endpoints?done=delete`);
}
