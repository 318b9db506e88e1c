import { channelName } from '../../parts/channels.ts';
import { filterForm } from '../../parts/filters.ts';
import { filterFault, type ShownErrors } from '../../parts/fault.ts';
import type { Said } from '../../messages/say.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import type { PaymentStatus } from '../../../../core/payments/states.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { type ViewedList, type ViewFault, viewChips } from '../../saved-views/chips.ts';
import { number, wireMoney } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, type Column, empty, field, pageHead, select, table, when } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { paymentBadge } from './status.ts';
import { PAYMENT_TEXTS } from './texts.ts';

/** The fields of a listed payment that are shown. */
export interface Listed {
  id: string;
  amount: number;
  currency: string;
  status: PaymentStatus;
  channel: string | null;
  reference: string | null;
  description: string | null;
  created_at: string;
}

/** Filters of the list, in the order in which they are shown. They are those of GET /payments. */
const FILTERS = ['search', 'status', 'date_from', 'date_to', 'amount_min', 'amount_max'] as const;

/** The list with the filters that a person can save. */
export const PAYMENT_LIST: ViewedList = { path: '/payments', kept: FILTERS.filter((name) => name !== 'search') };

/** Returns the filters in the address. */
export function filtersOf({ query }: TeamVisit): Record<string, string | undefined> {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
}

/** Views with a link of their own. Each is an address, like any other view. */
const VIEWS = ['', 'succeeded', 'processing', 'pending', 'failed', 'refunded'] as const;

/** Shows the list of payments. Filters and position are in the address, so that a view can be saved and shared. */
export async function showPayments(deps: ConsoleDeps, visit: TeamVisit, fault?: ViewFault): Promise<Answer> {
  const texts = PAYMENT_TEXTS[visit.language];
  const [found, saved] = await Promise.all([find(visit), viewChips(deps, visit, PAYMENT_LIST, fault)]);
  const total = 'items' in found ? totalOf(visit, found) : null;
  const actions = html`<a class="button quiet-button" href="${withQuery(`${visit.base}/payments/export`, filtersOf(visit))}">${texts.export}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/payments',
    ...(fault ? { status: 422 } : {}),
    body: html`${pageHead(texts.title, { note: total !== null && texts.count(number(total, visit.language)), actions })}${views(visit)}${filters(visit, 'errors' in found ? found.errors : {})}${saved}${
      'items' in found ? results(visit, found.items, found.meta) : alert(found.message)
    }`,
  };
}

type Found = { items: Listed[]; meta: CursorMeta } | Said;

/**
 * Reads the page. The rejection of a filter is shown beside its field. The list is not counted, because a count reads all matching rows.
 */
async function find(visit: TeamVisit): Promise<Found> {
  const { cursor = '' } = visit.query;
  try {
    const { body } = await visit.api('GET /payments', { query: { ...filtersOf(visit), cursor } });
    return body as unknown as Extract<Found, { items: unknown }>;
  } catch (error) {
    return filterFault(visit, error);
  }
}

function isFiltered(visit: TeamVisit): boolean {
  return Object.values(filtersOf(visit)).some(Boolean);
}

/** Returns how many payments the list has; null when one page does not show all of them. */
function totalOf({ query }: TeamVisit, { items, meta }: Extract<Found, { items: unknown }>): number | null {
  return !query.cursor && meta.has_more === false ? items.length : null;
}

/** Links to views by status. */
function views(visit: TeamVisit): Html {
  const texts = PAYMENT_TEXTS[visit.language];
  const { status, cursor: _, ...others } = visit.query;
  const links = VIEWS.map((view) => {
    const current = (status ?? '') === view && raw(' aria-current="true"');
    const path = withQuery(`${visit.base}/payments`, { ...others, status: view });
    return html`<a href="${path}"${current}>${view === '' ? texts.all : texts.statuses[view]}</a>`;
  });
  return html`<nav class="tabs" aria-label="${texts.views}">${links}</nav>`;
}

function filters(visit: TeamVisit, errors: ShownErrors): Html {
  const { language, query } = visit;
  const texts = PAYMENT_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const statuses = Object.entries(texts.statuses);
  const more = FILTERS.slice(2).some((name) => query[name] || errors[name]);
  const fields = html`${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...statuses])}
<details class="more"${more && raw(' open')}><summary class="button quiet-button">${texts.moreFilters}</summary><div>
${field({ ...common('date_from'), label: texts.from, type: 'date' })}
${field({ ...common('date_to'), label: texts.to, type: 'date' })}
${field({ ...common('amount_min'), label: texts.min, inputmode: 'decimal' })}
${field({ ...common('amount_max'), label: texts.max, inputmode: 'decimal' })}
</div></details>`;
  return filterForm(visit, '/payments', FILTERS, fields);
}

function results(visit: TeamVisit, items: readonly Listed[], meta: CursorMeta): Html {
  const texts = PAYMENT_TEXTS[visit.language];
  if (items.length === 0) {
    return isFiltered(visit) ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  return html`${paymentsTable(visit, items)}${pager(visit, `${visit.base}/payments`, meta)}`;
}

/** A table of listed payments. */
export function paymentsTable(visit: TeamVisit, items: readonly Listed[]): Html {
  return table(PAYMENT_TEXTS[visit.language].title, columns(visit), items);
}

function columns({ language, base }: TeamVisit): Column<Listed>[] {
  const texts = PAYMENT_TEXTS[language];
  return [
    {
      head: texts.amount,
      kind: 'main',
      cell: ({ id, amount, currency }) => html`<a href="${base}/payments/${id}">${wireMoney(amount, currency, language)}</a>`,
    },
    { head: texts.status, cell: ({ status }) => paymentBadge(status, language) },
    { head: texts.channel, cell: ({ channel }) => (channel ? channelName(channel, language) : '—') },
    { head: texts.reference, cell: ({ reference, description }) => reference ?? description ?? '—' },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
