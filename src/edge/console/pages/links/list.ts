import { filterForm } from '../../parts/filters.ts';
import type { ShownErrors } from '../../parts/fault.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { ConsoleDeps } from '../../deps.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { type ViewedList, type ViewFault, viewChips } from '../../saved-views/chips.ts';
import { number, wireMoney } from '../../parts/format.ts';
import { type Found, findPage } from '../../parts/lists.ts';
import { pager } from '../../parts/pager.ts';
import { alert, type Column, empty, field, pageHead, select, table, when } from '../../parts/parts.ts';
import { amountOf, type Link, linkBadge } from './read.ts';
import { LINK_TEXTS } from './texts.ts';

/** Filters of the list: those of GET /links. */
const FILTERS = ['search', 'status'] as const;

/** The list with the filters that a person can save. */
export const LINK_LIST: ViewedList = { path: '/links', kept: FILTERS.filter((name) => name !== 'search') };

/** Shows the list of payment links. */
export async function showLinks(deps: ConsoleDeps, visit: TeamVisit, fault?: ViewFault): Promise<Answer> {
  const texts = LINK_TEXTS[visit.language];
  const [found, saved] = await Promise.all([
    findPage<Link>(visit, 'GET /links', FILTERS),
    viewChips(deps, visit, LINK_LIST, fault),
  ]);
  const actions = visit.can('link.write') && html`<a class="button" href="${visit.base}/links/new">${texts.new}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/links',
    ...(fault ? { status: 422 } : {}),
    body: html`${pageHead(texts.title, { actions })}${filters(visit, 'errors' in found ? found.errors : {})}${saved}${
      'items' in found ? results(visit, found) : alert(found.message)
    }`,
  };
}

function filters(visit: TeamVisit, errors: ShownErrors): Html {
  const { language, query } = visit;
  const texts = LINK_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const fields = html`${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...Object.entries(texts.statuses)])}`;
  return filterForm(visit, '/links', FILTERS, fields);
}

function results(visit: TeamVisit, { items, meta }: Extract<Found<Link>, { items: unknown }>): Html {
  const { language, base, query } = visit;
  const texts = LINK_TEXTS[language];
  if (items.length === 0) {
    return FILTERS.some((name) => query[name]) ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  const columns: Column<Link>[] = [
    { head: texts.what, kind: 'main', cell: ({ id, title }) => html`<a href="${base}/links/${id}">${title}</a>` },
    { head: texts.amount, kind: 'number', cell: (link) => amountOf(link, language) },
    { head: texts.status, cell: ({ status }) => linkBadge(status, language) },
    { head: texts.succeeded, kind: 'number', cell: ({ payments_succeeded }) => number(payments_succeeded, language) },
    {
      head: texts.collected,
      kind: 'number',
      cell: ({ amount_collected, currency }) => wireMoney(amount_collected, currency, language),
    },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.title, columns, items)}${pager(visit, `${base}/links`, meta)}`;
}
