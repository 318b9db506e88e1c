import { filterForm } from '../../parts/filters.ts';
import type { ShownErrors } from '../../parts/fault.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { type ViewedList, type ViewFault, viewChips } from '../../saved-views/chips.ts';
import { dayText, wireMoney } from '../../parts/format.ts';
import { type Found, findPage } from '../../parts/lists.ts';
import { pager } from '../../parts/pager.ts';
import { alert, type Column, doneAlert, empty, field, pageHead, select, table, when } from '../../parts/parts.ts';
import { type Invoice, invoiceBadge, recipientOf } from './read.ts';
import { INVOICE_TEXTS } from './texts.ts';

/** Filters of the list: those of GET /invoices. */
const FILTERS = ['search', 'status', 'date_from', 'date_to'] as const;

/** The list with the filters that a person can save. */
export const INVOICE_LIST: ViewedList = { path: '/invoices', kept: FILTERS.filter((name) => name !== 'search') };

/** Shows the list of invoices. */
export async function showInvoices(deps: ConsoleDeps, visit: TeamVisit, fault?: ViewFault): Promise<Answer> {
  const texts = INVOICE_TEXTS[visit.language];
  const [found, saved] = await Promise.all([
    findPage<Invoice>(visit, 'GET /invoices', FILTERS),
    viewChips(deps, visit, INVOICE_LIST, fault),
  ]);
  const actions = visit.can('invoice.write') && html`<a class="button" href="${visit.base}/invoices/new">${texts.new}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/invoices',
    ...(fault ? { status: 422 } : {}),
    body: html`${pageHead(texts.title, { actions })}${doneAlert(texts.done, visit.query.done)}${filters(visit, 'errors' in found ? found.errors : {})}${saved}${
      'items' in found ? results(visit, found) : alert(found.message)
    }`,
  };
}

function filters(visit: TeamVisit, errors: ShownErrors): Html {
  const { language, query } = visit;
  const texts = INVOICE_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const fields = html`${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...Object.entries(texts.statuses)])}
${field({ ...common('date_from'), label: texts.from, type: 'date' })}
${field({ ...common('date_to'), label: texts.to, type: 'date' })}`;
  return filterForm(visit, '/invoices', FILTERS, fields);
}

function results(visit: TeamVisit, { items, meta }: Extract<Found<Invoice>, { items: unknown }>): Html {
  const { language, base, query } = visit;
  const texts = INVOICE_TEXTS[language];
  if (items.length === 0) {
    return FILTERS.some((name) => query[name]) ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  const columns: Column<Invoice>[] = [
    {
      head: texts.number,
      kind: 'main',
      cell: ({ id, number }) => html`<a href="${base}/invoices/${id}">${number ?? texts.draft}</a>`,
    },
    { head: texts.customer, cell: recipientOf },
    { head: texts.amount, kind: 'number', cell: ({ amount, currency }) => wireMoney(amount, currency, language) },
    { head: texts.status, cell: ({ status }) => invoiceBadge(status, language) },
    { head: texts.due, cell: ({ due_date }) => (due_date === null ? '—' : dayText(due_date, language)) },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.title, columns, items)}${pager(visit, `${base}/invoices`, meta)}`;
}
