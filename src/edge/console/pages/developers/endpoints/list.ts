import { html } from '../../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { type Column, doneAlert, empty, table, when } from '../../../parts/parts.ts';
import { developersHead, tabName } from '../tabs.ts';
import { type Endpoint, endpointBadge, subscriptions } from './read.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

/** Shows the endpoints. There are at most 16, so one page has them all. */
export async function showEndpoints(visit: TeamVisit): Promise<Answer> {
  const { base, language, query } = visit;
  const texts = ENDPOINT_TEXTS[language];
  const { body } = await visit.api('GET /webhooks', { query: { per_page: 100 } });
  const { items } = body as { items: Endpoint[] };
  const add = visit.can('webhook.write') && html`<a class="button" href="${base}/developers/endpoints/new">${texts.add}</a>`;
  return {
    kind: 'page',
    title: tabName(visit, 'endpoints'),
    nav: '/developers',
    body: html`${developersHead(visit, 'endpoints', add)}${doneAlert(texts.done, query.done)}${
      items.length === 0 ? empty(texts.none, texts.noneText) : table(texts.title, columns(visit), items)
    }`,
  };
}

function columns({ base, language }: TeamVisit): Column<Endpoint>[] {
  const texts = ENDPOINT_TEXTS[language];
  return [
    {
      head: texts.address,
      kind: 'main',
      cell: ({ id, url, description }) =>
        html`<div><a class="address" href="${base}/developers/endpoints/${id}">${url}</a>${description && html`<div class="note">${description}</div>`}</div>`,
    },
    { head: texts.state, cell: (endpoint) => endpointBadge(endpoint, language) },
    { head: texts.events, cell: (endpoint) => subscriptions(endpoint, language) },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
