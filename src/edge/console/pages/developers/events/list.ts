import { type Html, html } from '../../../../../kit/html.ts';
import { EVENT_TYPES } from '../../../../../money/events/catalogue.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { filterForm } from '../../../parts/filters.ts';
import { number } from '../../../parts/format.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { type CursorMeta, pager } from '../../../parts/pager.ts';
import { alert, type Column, empty, field, idText, select, table, when } from '../../../parts/parts.ts';
import { developersHead, tabName } from '../tabs.ts';
import { EVENT_TEXTS } from './texts.ts';

/** An event as GET /events returns it. */
export interface ShownEvent {
  id: string;
  event: string;
  created: string;
  pending_webhooks: number;
  data: { id?: unknown };
}

/** Filters of the list. They are those of GET /events. */
const FILTERS = ['type', 'date_from', 'date_to'] as const;

/** Shows the events. Filters and position are in the address. */
export async function showEvents(visit: TeamVisit): Promise<Answer> {
  const found = await find(visit);
  return {
    kind: 'page',
    title: tabName(visit, 'events'),
    nav: '/developers',
    body: html`${developersHead(visit, 'events')}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? results(visit, found.items, found.meta) : alert(found.message)
    }`,
  };
}

async function find(visit: TeamVisit): Promise<{ items: ShownEvent[]; meta: CursorMeta } | Fault> {
  try {
    const query = Object.fromEntries(FILTERS.map((name) => [name, visit.query[name]]));
    const { body } = await visit.api('GET /events', { query: { ...query, cursor: visit.query.cursor ?? '' } });
    return body as { items: ShownEvent[]; meta: CursorMeta };
  } catch (error) {
    return faultOf(visit, error);
  }
}

function filters(visit: TeamVisit, errors: Fault['errors']): Html {
  const { language, query } = visit;
  const texts = EVENT_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const types = EVENT_TYPES.map((type) => [type, type] as const);
  const fields = html`${select({ ...common('type'), label: texts.type }, [['', texts.anyType], ...types])}
${field({ ...common('date_from'), label: texts.from, type: 'date' })}
${field({ ...common('date_to'), label: texts.to, type: 'date' })}`;
  return filterForm(visit, '/developers/events', FILTERS, fields);
}

function results(visit: TeamVisit, items: readonly ShownEvent[], meta: CursorMeta): Html {
  const texts = EVENT_TEXTS[visit.language];
  if (items.length === 0) {
    const filtered = FILTERS.some((name) => visit.query[name]);
    return filtered ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  return html`${table(tabName(visit, 'events'), columns(visit), items)}${pager(visit, `${visit.base}/developers/events`, meta)}`;
}

function columns({ base, language }: TeamVisit): Column<ShownEvent>[] {
  const texts = EVENT_TEXTS[language];
  return [
    {
      head: texts.type,
      kind: 'main',
      cell: ({ id, event }) => html`<a href="${base}/developers/events/${id}"><code>${event}</code></a>`,
    },
    { head: texts.resource, cell: ({ data }) => (typeof data.id === 'string' ? resource(base, data.id) : '—') },
    { head: texts.endpoints, kind: 'number', cell: ({ pending_webhooks }) => number(pending_webhooks, language) },
    { head: texts.created, cell: ({ created }) => when(created, language) },
  ];
}

/** Renders the id of an event's resource, as a link where the resource has a page with the same path. */
export function resource(base: string, id: string): Html {
  const section = { trx: 'payments', cus: 'customers', wh: 'developers/endpoints' }[id.split('_')[0] ?? ''];
  return idText(id, section && `${base}/${section}/${id}`);
}
