import { say } from '../../../messages/say.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import { type Answer, redirect, type TeamVisit } from '../../../page.ts';
import { moment, number } from '../../../parts/format.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { type CursorMeta, pager } from '../../../parts/pager.ts';
import { alert, badge, card, type Column, doneAlert, empty, facts, idText, table, when } from '../../../parts/parts.ts';
import { backTo, type Endpoint, endpointBadge, endpointOf, subscriptions } from './read.ts';
import { resendForm } from './resend-form.ts';
import { resendProgress } from './resend-progress.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** An attempt as GET /webhooks/{id}/deliveries returns it. */
interface Delivery {
  id: string;
  event_id: string;
  event: string;
  attempt: number;
  status: 'succeeded' | 'failed';
  response_status: number | null;
  error: string | null;
  duration_ms: number;
  next_attempt_at: string | null;
  created_at: string;
}

/** Shows one endpoint with its deliveries. */
export async function showEndpoint(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, query } = visit;
  const texts = ENDPOINT_TEXTS[language];
  const endpoint = await endpointOf(visit);
  return {
    kind: 'page',
    title: endpoint.url,
    nav: '/developers',
    ...(fault ? { status: fault.status } : {}),
    body: html`${backTo(visit)}<div class="page-head"><div><h1 class="address">${endpoint.url} ${endpointBadge(endpoint, language)}</h1>${endpoint.description && html`<p class="note">${endpoint.description}</p>`}</div>
<div class="actions">${actions(visit, endpoint)}</div></div>${alert(fault?.message)}${!fault && (isNote(query.done) ? alert(texts.done[query.done], 'info') : doneAlert(texts.done, query.done))}${
      !endpoint.active &&
      (endpoint.disabled_reason ? alert(say(language, endpoint.disabled_reason)) : alert(texts.inactiveNote, 'info'))
    }${endpoint.backlog_full_since && alert(texts.full(moment(endpoint.backlog_full_since, language)))}
${details(visit, endpoint)}${await resendProgress(visit, endpoint)}${resendForm(visit, endpoint, fault)}${await deliveries(visit, endpoint)}`,
  };
}

/** Returns whether an action has changed nothing, which is not shown as a success. */
function isNote(done: string | undefined): done is 'again' | 'nothing' {
  return done === 'again' || done === 'nothing';
}

/** Queues a test event, once for each displayed form. */
export async function testEndpoint(visit: TeamVisit): Promise<Answer> {
  const { id = '' } = visit.params;
  try {
    await visit.api('POST /webhooks/:id/test', { params: { id }, idempotency_key: visit.formKey });
  } catch (error) {
    return showEndpoint(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/developers/endpoints/${id}?done=test`);
}

function actions(visit: TeamVisit, { id, active }: Endpoint): Html | null {
  if (!visit.can('webhook.write')) return null;
  const texts = ENDPOINT_TEXTS[visit.language];
  const path = `${visit.base}/developers/endpoints/${id}`;
  return html`${
    active &&
    html`<form method="post" action="${path}/test">${visit.formFields()}<button class="quiet-button">${texts.test}</button></form>`
  }<a class="button quiet-button" href="${path}/edit">${texts.change}</a>
<a class="button quiet-button" href="${path}/rotate">${texts.rotate}</a><a class="button danger" href="${path}/delete">${texts.delete}</a>`;
}

function details({ language }: TeamVisit, endpoint: Endpoint): Html {
  const texts = ENDPOINT_TEXTS[language];
  return card(
    texts.details,
    facts([
      [texts.id, idText(endpoint.id)],
      [texts.events, subscriptions(endpoint, language)],
      [texts.version, endpoint.api_version],
      [texts.failingSince, endpoint.failing_since && when(endpoint.failing_since, language)],
      [texts.created, when(endpoint.created_at, language)],
    ]),
  );
}

async function deliveries(visit: TeamVisit, { id }: Endpoint): Promise<Html> {
  const texts = ENDPOINT_TEXTS[visit.language];
  const position = { cursor: visit.query.cursor ?? '' };
  const { body } = await visit.api('GET /webhooks/:id/deliveries', { params: { id }, query: position });
  const { items, meta } = body as { items: Delivery[]; meta: CursorMeta };
  const list =
    items.length === 0
      ? empty(texts.noDeliveries, texts.noDeliveriesText)
      : html`${table(texts.deliveries, columns(visit), items)}${pager({ ...visit, query: position }, `${visit.base}/developers/endpoints/${id}`, meta)}`;
  return card(texts.deliveries, list);
}

function columns({ base, language, can }: TeamVisit): Column<Delivery>[] {
  const texts = ENDPOINT_TEXTS[language];
  return [
    {
      head: texts.event,
      kind: 'main',
      cell: ({ id, event, event_id }) =>
        can('event.read')
          ? html`<a href="${base}/developers/events/${event_id}#${id}"><code>${event}</code></a>`
          : html`<code>${event}</code>`,
    },
    {
      head: texts.answer,
      cell: ({ status, response_status, error }) =>
        badge(
          response_status === null ? (error?.split(/[ :]/)[0] ?? '—') : String(response_status),
          status === 'succeeded' ? 'good' : 'bad',
        ),
    },
    { head: texts.attempt, kind: 'number', cell: ({ attempt }) => number(attempt, language) },
    { head: texts.time, kind: 'number', cell: ({ duration_ms }) => `${number(duration_ms, language)} ms` },
    {
      head: texts.sent,
      cell: ({ created_at, next_attempt_at }) =>
        html`<div>${when(created_at, language)}${next_attempt_at && html`<div class="note">${texts.next} ${when(next_attempt_at, language)}</div>`}</div>`,
    },
  ];
}
