import { type Html, html } from '../../../../../kit/html.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { exactMoment } from '../../../parts/format.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { alert, doneAlert, idText, pageHead } from '../../../parts/parts.ts';
import { eventCards } from '../../payments/one/event.ts';
import { tabName } from '../tabs.ts';
import { resource, type ShownEvent } from './list.ts';
import { EVENT_TEXTS } from './texts.ts';

/** Shows one event: its deliveries with the responses, and its body. */
export async function showEvent(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { base, language, query } = visit;
  const texts = EVENT_TEXTS[language];
  const { body } = await visit.api('GET /events/:id', { params: { id: visit.params.id ?? '' } });
  const { event } = body as { event: ShownEvent };
  const about = typeof event.data.id === 'string' && html` · ${resource(base, event.data.id)}`;
  const note = html`${idText(event.id)}${about} · ${exactMoment(event.created, language)} UTC`;
  return {
    kind: 'page',
    title: event.event,
    nav: '/developers',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/developers/events">← ${tabName(visit, 'events')}</a></p>
${pageHead(event.event, { note, actions: resendForm(visit, event.id) })}${alert(fault?.message)}${!fault && (query.done === 'nowhere' ? alert(texts.done.nowhere, 'info') : doneAlert(texts.done, query.done))}
${await eventCards(visit, event)}`,
  };
}

/** Delivers an event again, once for each displayed form. */
export async function resendEvent(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  try {
    const { body } = await visit.api('POST /events/:id/resend', { params: { id }, idempotency_key: visit.formKey });
    const { deliveries } = body as { deliveries: number };
    return redirect(`${visit.base}/developers/events/${id}?done=${deliveries > 0 ? 'resend' : 'nowhere'}`);
  } catch (error) {
    return showEvent(visit, faultOf(visit, error));
  }
}

function resendForm(visit: TeamVisit, id: string): Html | null {
  if (!visit.can('event.write')) return null;
  const action = `${visit.base}/developers/events/${id}/resend`;
  return html`<form method="post" action="${action}">${visit.formFields()}<button class="quiet-button">${EVENT_TEXTS[visit.language].resend}</button></form>`;
}
