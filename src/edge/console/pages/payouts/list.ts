import type { presentTransfer } from '../../../../core/transfers/present.ts';
import type { Recipient } from '../../../../core/transfers/schema.ts';
import { findRecipients } from '../../../../core/transfers/store.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { channelName, payoutChannels } from '../../parts/channels.ts';
import { filterForm } from '../../parts/filters.ts';
import { type Fault, faultOf } from '../../parts/fault.ts';
import { wireMoney } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, type Column, empty, field, select, table, when } from '../../parts/parts.ts';
import { withQuery } from '../../paths.ts';
import { BULK_TEXTS } from './bulk/texts.ts';
import { recipientName } from './recipient.ts';
import { payoutBadge } from './status.ts';
import { payoutsHead } from './tabs.ts';
import { PAYOUT_TEXTS } from './texts.ts';

type Listed = ReturnType<typeof presentTransfer>;

interface Found {
  items: Listed[];
  meta: CursorMeta;
}

/** Filters of GET /transfers, in the order in which they are shown. */
const FILTERS = ['search', 'status', 'channel', 'date_from', 'date_to', 'amount_min', 'amount_max'] as const;
const VIEWS = ['', 'processing', 'succeeded', 'failed'] as const;

/** Shows the list of payouts. Filters and position are in the address. */
export async function showPayouts(visit: TeamVisit): Promise<Answer> {
  const { language, base, can } = visit;
  const texts = PAYOUT_TEXTS[language];
  const found = await find(visit);
  const actions =
    can('transfer.write') &&
    html`<a class="button quiet-button" href="${base}/payouts/bulk">${BULK_TEXTS[language].title}</a><a class="button" href="${base}/payouts/new">${texts.create}</a>`;
  return {
    kind: 'page',
    title: texts.title,
    nav: '/payouts',
    body: html`${payoutsHead(visit, 'list', actions)}${views(visit)}${filters(visit, 'errors' in found ? found.errors : {})}${
      'items' in found ? await results(visit, found) : alert(found.message)
    }`,
  };
}

async function find(visit: TeamVisit): Promise<Found | Fault> {
  const { cursor = '', beneficiary } = visit.query;
  try {
    const { body } = await visit.api('GET /transfers', { query: { ...filtersOf(visit), beneficiary, cursor } });
    return body as unknown as Found;
  } catch (error) {
    return faultOf(visit, error);
  }
}

function filtersOf({ query }: TeamVisit): Record<string, string | undefined> {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
}

/** Links to views by status. */
function views({ language, base, query }: TeamVisit): Html {
  const texts = PAYOUT_TEXTS[language];
  const { status = '', cursor: _, ...others } = query;
  const links = VIEWS.map((view) => {
    const path = withQuery(`${base}/payouts`, { ...others, status: view });
    return html`<a href="${path}"${status === view && raw(' aria-current="true"')}>${view === '' ? texts.all : texts.statuses[view]}</a>`;
  });
  return html`<nav class="switch" aria-label="${texts.views}">${links}</nav>`;
}

function filters(visit: TeamVisit, errors: Fault['errors']): Html {
  const { language, query } = visit;
  const texts = PAYOUT_TEXTS[language];
  const common = (name: (typeof FILTERS)[number]) => ({ name, value: query[name], error: errors[name]?.[0] });
  const more = FILTERS.slice(2).some((name) => query[name] || errors[name]);
  const fields = html`${field({ ...common('search'), label: texts.search, type: 'search', placeholder: texts.searchHelp })}
${select({ ...common('status'), label: texts.status }, [['', texts.anyStatus], ...Object.entries(texts.statuses)])}
<details class="more"${more && raw(' open')}><summary class="button quiet-button">${texts.moreFilters}</summary><div>
${select({ ...common('channel'), label: texts.recipient.channel }, [['', texts.anyChannel], ...payoutChannels(language)])}
${field({ ...common('date_from'), label: texts.from, type: 'date' })}
${field({ ...common('date_to'), label: texts.to, type: 'date' })}
${field({ ...common('amount_min'), label: texts.min, inputmode: 'decimal' })}
${field({ ...common('amount_max'), label: texts.max, inputmode: 'decimal' })}
</div></details>`;
  return filterForm(visit, '/payouts', [...FILTERS, 'beneficiary'], fields);
}

async function results(visit: TeamVisit, { items, meta }: Found): Promise<Html> {
  const texts = PAYOUT_TEXTS[visit.language];
  if (items.length === 0) {
    const isFiltered = visit.query.beneficiary || Object.values(filtersOf(visit)).some(Boolean);
    return isFiltered ? empty(texts.noneFound, texts.noneFoundText) : empty(texts.none, texts.noneText);
  }
  return html`${await payoutsTable(visit, items)}${pager(visit, `${visit.base}/payouts`, meta)}`;
}

/** A table of listed payouts, with their recipients. */
export async function payoutsTable(visit: TeamVisit, items: readonly Listed[]): Promise<Html> {
  const ids = items.map(({ id }) => id);
  const recipients = await findRecipients(visit.store.db, visit.team.id, ids);
  return table(PAYOUT_TEXTS[visit.language].title, columns(visit, recipients), items);
}

function columns({ language, base }: TeamVisit, recipients: ReadonlyMap<string, Recipient>): Column<Listed>[] {
  const texts = PAYOUT_TEXTS[language];
  const name = (id: string) => {
    const recipient = recipients.get(id);
    return recipient ? recipientName(recipient) : '—';
  };
  return [
    {
      head: texts.amount,
      kind: 'main',
      cell: ({ id, amount, currency }) => html`<a href="${base}/payouts/${id}">${wireMoney(amount, currency, language)}</a>`,
    },
    { head: texts.status, cell: ({ status }) => payoutBadge(status, language) },
    {
      head: texts.to_whom,
      cell: ({ id, channel }) => html`${name(id)}<span class="under">${channelName(channel, language)}</span>`,
    },
    { head: texts.reference, cell: ({ reference, description }) => reference ?? description ?? '—' },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
}
