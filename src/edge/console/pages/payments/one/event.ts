import { notFound } from '../../../../../kit/errors.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { attemptsOfEvents, type WaitingDelivery, waitingOfEvents } from '../../../../../money/webhooks/attempts-store.ts';
import type { AttemptRow } from '../../../../../money/webhooks/schema.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { exactMoment } from '../../../parts/format.ts';
import { badge, card, doneAlert, empty, idText, pageHead } from '../../../parts/parts.ts';
import { MAX_ROWS } from './story.ts';
import { ONE_TEXTS, type StoryEvent } from './texts.ts';
import { dueWords } from './waiting.ts';

/** An event as GET /events/{id} returns it. */
interface ShownEvent {
  id: string;
  event: string;
  created: string;
  data: { id?: unknown; payment?: unknown };
}

/** Shows an event of a payment: its body, its deliveries and the responses. */
export async function showEvent(visit: TeamVisit): Promise<Answer> {
  const { language, base, params, query } = visit;
  const texts = ONE_TEXTS[language];
  const event = await eventOf(visit);
  const path = `${base}/payments/${params.id}`;
  return {
    kind: 'page',
    title: texts.events[event.event as StoryEvent] ?? event.event,
    nav: '/payments',
    body: html`<p class="back"><a href="${path}">← ${texts.event.back}</a></p>
${pageHead(texts.events[event.event as StoryEvent] ?? event.event, { note: html`<code>${event.event}</code> · ${idText(event.id)} · ${exactMoment(event.created, language)}`, actions: resendForm(visit, event.id) })}
${doneAlert(texts.done, query.done)}
${await eventCards(visit, event)}`,
  };
}

/** Renders the deliveries of an event, and its body. */
export async function eventCards(visit: TeamVisit, event: { id: string }): Promise<Html> {
  const { language, store, team } = visit;
  const texts = ONE_TEXTS[language];
  const attempts = visit.can('webhook.read') ? await attemptsOfEvents(store.db, team.id, [event.id], MAX_ROWS) : [];
  const waiting = visit.can('webhook.read') ? await waitingOfEvents(store.db, team.id, [event.id], MAX_ROWS) : [];
  const addresses = attempts.length + waiting.length > 0 ? await addressesOf(visit) : new Map<string, string>();
  return html`${card(texts.event.attempts, deliveries(visit, attempts, waiting, addresses))}
${card(texts.event.body, html`<p class="note">${texts.event.bodyNote}</p><pre tabindex="0"><code>${JSON.stringify(event, null, 2)}</code></pre>`)}`;
}

/** Delivers an event again, once for each displayed form. */
export async function resend(visit: TeamVisit): Promise<Answer> {
  const { id } = await eventOf(visit);
  await visit.api('POST /events/:id/resend', { params: { id }, idempotency_key: visit.formKey });
  return redirect(`${visit.base}/payments/${visit.params.id}/events/${id}?done=resend`);
}

/** Returns the event in the path. @throws Problem 404 for an event of another resource */
async function eventOf(visit: TeamVisit): Promise<ShownEvent> {
  const { id: payment = '', event: id = '' } = visit.params;
  const { body } = await visit.api('GET /events/:id', { params: { id } });
  const event = (body as { event: ShownEvent }).event;
  if (event.data.id !== payment && event.data.payment !== payment) throw notFound();
  return event;
}

function resendForm(visit: TeamVisit, id: string): Html | null {
  if (!visit.can('event.write')) return null;
  const action = `${visit.base}/payments/${visit.params.id}/events/${id}/resend`;
  return html`<form method="post" action="${action}">${visit.formFields()}<button class="quiet-button">${ONE_TEXTS[visit.language].actions.resend}</button></form>`;
}

/** Returns the addresses of the team's endpoints by id. One that was deleted has none. */
async function addressesOf(visit: TeamVisit): Promise<ReadonlyMap<string, string>> {
  const { body } = await visit.api('GET /webhooks', { query: { per_page: 100 } });
  return new Map((body as { items: { id: string; url: string }[] }).items.map(({ id, url }) => [id, url]));
}

function deliveries(
  visit: TeamVisit,
  attempts: readonly AttemptRow[],
  waiting: readonly WaitingDelivery[],
  addresses: ReadonlyMap<string, string>,
): Html {
  const texts = ONE_TEXTS[visit.language];
  if (attempts.length + waiting.length === 0) return empty(texts.timeline.noEndpoint, texts.event.none);
  const to = (id: string) => addresses.get(id) ?? id;
  return html`<ol class="timeline">${attempts.map((one) => attemptItem(visit, one, to(one.endpoint_id)))}${waiting.map(
    ({
      endpoint_id,
      due_at,
      tries,
    }) => html`<li class="info"><div class="timeline-head"><span>${to(endpoint_id)} ${badge(texts.event.queued, 'info')}</span></div>
<p class="note">${texts.event.attempt(tries + 1)}${texts.colon} ${texts.timeline.next(dueWords(due_at, visit.at, visit.language))}</p></li>`,
  )}</ol>`;
}

function attemptItem({ language }: TeamVisit, one: AttemptRow, address: string): Html {
  const texts = ONE_TEXTS[language];
  const { succeeded, response_status, response_body, error, duration_ms, attempt, created_at, id } = one;
  const tone = succeeded ? 'good' : 'bad';
  return html`<li class="${tone}" id="${id}"><div class="timeline-head"><span class="address">${address} ${badge(response_status === null ? (error ?? '—') : String(response_status), tone)}</span>
<time datetime="${created_at.toISOString()}">${exactMoment(created_at, language)}</time></div>
<p class="note">${texts.event.attempt(attempt)} · ${duration_ms} ms · ${idText(id)}</p>
<details><summary>${texts.event.answer}</summary><pre tabindex="0"><code>${response_body || error || texts.event.empty}</code></pre></details></li>`;
}
