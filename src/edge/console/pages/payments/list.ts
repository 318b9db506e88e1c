import { Problem } from '../../../../kit/errors.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import type { PaymentStatus } from '../../../../core/payments/states.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { number, wireMoney } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, badge, type Column, empty, field, pageHead, select, table, type Tone, when } from '../../parts/parts.ts';
import { PAYMENT_TEXTS } from './texts.ts';

/** The fields of a listed payment that are shown. */
interface Listed {
  id: string;
  amount: number;
  currency: string;
  status: PaymentStatus;
  reference: string | null;
  description: string | null;
  created_at: string;
}

/** Filters of the list, in the order in which they are shown. They are those of GET /payments. */
const FILTERS = ['search', 'status', 'date_from', 'date_to', 'amount_min', 'amount_max'] as const;

const TONES: Record<PaymentStatus, Tone> = {
  pending: 'idle',
  processing: 'info',
  partial: 'info',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'idle',
  expired: 'idle',
  refunded: 'warn',
  partially_refunded: 'warn',
};

/** Shows the list of payments. Filters and position are in the address, so that a view can be kept and shared. */
export async function showPayments(visit: TeamVisit): Promise<Answer> {
  const texts = PAYMENT_TEXTS[visit.language];
  const found = await find(visit);
  const total = 'meta' in found && found.meta.total !== undefined ? texts.count(number(found.meta.total, visit.language)) : null;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/payments',
    body: html`${pageHead(texts.title, { note: total })}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? results(visit, found.items, found.meta) : alert(found.message)
    }`,
  };
}

type Found =
  | { items: Listed[]; meta: CursorMeta & { total?: number } }
  | { message: string; errors: Readonly<Record<string, string[]>> };

/** Asks for the page. A filter that the API rejects is shown beside its field. */
async function find(visit: TeamVisit): Promise<Found> {
  const { cursor } = visit.query;
  try {
    const query = Object.fromEntries(FILTERS.map((name) => [name, visit.query[name]]));
    const { body } = await visit.api('GET /payments', { query: { ...query, ...(cursor ? { cursor } : { page: 1 }) } });
    return body as unknown as Extract<Found, { items: unknown }>;
  } catch (error) {
    if (error instanceof Problem && error.status === 422) return { message: error.message, errors: error.details.errors ?? {} };
    throw error;
  }
}

function filters({ language, query, base }: TeamVisit, errors: Readonly<Record<string, string[]>>): Html {
  const texts = PAYMENT_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const statuses = Object.entries(texts.statuses);
  const more = FILTERS.slice(2).some((name) => query[name] || errors[name]);
  return html`<form class="filters" action="${base}/payments" role="search">
${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...statuses])}
<details class="more"${more && raw(' open')}><summary class="button quiet-button">${texts.moreFilters}</summary><div>
${field({ ...common('date_from'), label: texts.from, type: 'date' })}
${field({ ...common('date_to'), label: texts.to, type: 'date' })}
${field({ ...common('amount_min'), label: texts.min, inputmode: 'decimal' })}
${field({ ...common('amount_max'), label: texts.max, inputmode: 'decimal' })}
</div></details>
<div class="form-actions"><button>${texts.filter}</button><a class="button quiet-button" href="${base}/payments">${texts.reset}</a></div>
</form>`;
}

function results(visit: TeamVisit, items: readonly Listed[], meta: CursorMeta): Html {
  const texts = PAYMENT_TEXTS[visit.language];
  if (items.length === 0) {
    const filtered = FILTERS.some((name) => visit.query[name]);
    return filtered ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  return html`${table(texts.title, columns(visit), items)}${pager(visit, `${visit.base}/payments`, meta)}`;
}

function columns({ language, base }: TeamVisit): Column<Listed>[] {
  const texts = PAYMENT_TEXTS[language];
  return [
    {
      head: texts.amount,
      kind: 'main',
      cell: ({ id, amount, currency }) => html`<a href="${base}/payments/${id}">${wireMoney(amount, currency, language)}</a>`,
    },
    { head: texts.status, cell: ({ status }) => badge(texts.statuses[status], TONES[status]) },
    { head: texts.reference, cell: ({ reference, description }) => reference ?? description ?? '—' },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
