import { filterForm } from '../../parts/filters.ts';
import { filterFault, type ShownErrors } from '../../parts/fault.ts';
import type { Said } from '../../messages/say.ts';
import { type Html, html } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { number } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, badge, type Column, empty, field, pageHead, select, table, when } from '../../parts/parts.ts';
import { type Customer, titleOf } from './read.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

interface Found {
  items: Customer[];
  meta: CursorMeta;
}

/** Shows the list of customers. Erased ones are not in it. */
export async function showCustomers(visit: TeamVisit): Promise<Answer> {
  const texts = CUSTOMER_TEXTS[visit.language];
  const found = await find(visit);
  const whole = 'items' in found && !visit.query.cursor && found.meta.has_more === false && found.items.length > 0;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/customers',
    body: html`${pageHead(texts.title, { note: whole && texts.count(number(found.items.length, visit.language)) })}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? results(visit, found) : alert(found.message)
    }`,
  };
}

/** Returns the page of the list. It is not counted, because a count reads all matching rows. */
async function find(visit: TeamVisit): Promise<Found | Said> {
  const { search, blocked, cursor = '' } = visit.query;
  const only = blocked === 'true' || blocked === 'false' ? { blocked: blocked === 'true' } : {};
  try {
    const { body } = await visit.api('GET /customers', { query: { search, ...only, cursor } });
    return body as unknown as Found;
  } catch (error) {
    return filterFault(visit, error);
  }
}

function filters(visit: TeamVisit, errors: ShownErrors): Html {
  const { language, query } = visit;
  const texts = CUSTOMER_TEXTS[language];
  const common = (name: 'search' | 'blocked') => ({ name, value: query[name], error: errors[name]?.[0] });
  const fields = html`${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('blocked'), label: texts.state }, [
  ['', texts.every],
  ['false', texts.active],
  ['true', texts.blocked],
])}`;
  return filterForm(visit, '/customers', ['search', 'blocked'], fields);
}

function results(visit: TeamVisit, { items, meta }: Found): Html {
  const { language, base, query } = visit;
  const texts = CUSTOMER_TEXTS[language];
  if (items.length === 0) {
    return query.search || query.blocked ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  const columns: Column<Customer>[] = [
    {
      head: texts.name,
      kind: 'main',
      cell: (one) =>
        html`<a href="${base}/customers/${one.id}">${titleOf(one)}</a> ${one.blocked && badge(texts.blocked, 'bad')}`,
    },
    { head: texts.email, cell: ({ email }) => email ?? '—' },
    { head: texts.phone, cell: ({ phone }) => phone ?? '—' },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.title, columns, items)}${pager(visit, `${base}/customers`, meta)}`;
}
