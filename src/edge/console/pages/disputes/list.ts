import { filterForm } from '../../parts/filters.ts';
import type { ShownErrors } from '../../parts/fault.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { wireMoney } from '../../parts/format.ts';
import { type Found, findPage } from '../../parts/lists.ts';
import { pager } from '../../parts/pager.ts';
import { alert, type Column, empty, field, pageHead, select, shortId, table, when } from '../../parts/parts.ts';
import { deadlineOf, type Dispute, disputeBadge } from './read.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** Filters of the list: those of GET /disputes. */
const FILTERS = ['status', 'payment'] as const;

/** Shows the list of disputes. */
export async function showDisputes(visit: TeamVisit): Promise<Answer> {
  const texts = DISPUTE_TEXTS[visit.language];
  const found = await findPage<Dispute>(visit, 'GET /disputes', FILTERS);
  return {
    kind: 'page',
    title: texts.title,
    nav: '/disputes',
    body: html`${pageHead(texts.title)}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? results(visit, found) : alert(found.message)
    }`,
  };
}

function filters(visit: TeamVisit, errors: ShownErrors): Html {
  const { language, query } = visit;
  const texts = DISPUTE_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const fields = html`${field({ ...common('payment'), label: texts.payment, type: 'search', placeholder: texts.paymentHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...Object.entries(texts.statuses)])}`;
  return filterForm(visit, '/disputes', FILTERS, fields);
}

function results(visit: TeamVisit, { items, meta }: Extract<Found<Dispute>, { items: unknown }>): Html {
  const { language, base, query } = visit;
  const texts = DISPUTE_TEXTS[language];
  if (items.length === 0) {
    return FILTERS.some((name) => query[name]) ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  const columns: Column<Dispute>[] = [
    {
      head: texts.amount,
      kind: 'main',
      cell: ({ id, amount, currency }) => html`<a href="${base}/disputes/${id}">${wireMoney(amount, currency, language)}</a>`,
    },
    { head: texts.status, cell: ({ status }) => disputeBadge(status, language) },
    { head: texts.due, cell: (dispute) => deadlineOf(dispute, visit) ?? '—' },
    { head: texts.reason, cell: ({ reason }) => reason },
    { head: texts.payment, cell: ({ payment }) => shortId(payment, `${base}/payments/${payment}`) },
    { head: texts.opened, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.title, columns, items)}${pager(visit, `${base}/disputes`, meta)}`;
}
