import type { presentBeneficiary } from '../../../../../core/beneficiaries/present.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { channelName } from '../../../parts/channels.ts';
import { filterForm } from '../../../parts/filters.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { type CursorMeta, pager } from '../../../parts/pager.ts';
import { alert, type Column, doneAlert, empty, field, table, when } from '../../../parts/parts.ts';
import { payoutsHead } from '../tabs.ts';
import { PAYOUT_TEXTS } from '../texts.ts';

/** A beneficiary as the API shows it. */
export type Beneficiary = ReturnType<typeof presentBeneficiary>;

interface Found {
  items: Beneficiary[];
  meta: CursorMeta;
}

/** Shows the saved recipients. */
export async function showBeneficiaries(visit: TeamVisit): Promise<Answer> {
  const { language, base, can, query } = visit;
  const texts = PAYOUT_TEXTS[language];
  const found = await find(visit);
  const path = `${base}/payouts/beneficiaries`;
  const actions = can('beneficiary.write') && html`<a class="button" href="${path}/new">${texts.saved.create}</a>`;
  const error = 'errors' in found ? found.errors.search?.[0] : undefined;
  const search = html`${field({ name: 'search', label: texts.search, type: 'search', value: query.search, error, placeholder: texts.saved.searchHelp })}`;
  return {
    kind: 'page',
    title: texts.tabs.beneficiaries,
    nav: '/payouts',
    body: html`${payoutsHead(visit, 'beneficiaries', actions)}${doneAlert(texts.saved.done, query.done)}${filterForm(visit, '/payouts/beneficiaries', ['search'], search)}${
      'items' in found ? results(visit, path, found) : alert(found.message)
    }`,
  };
}

async function find(visit: TeamVisit): Promise<Found | Fault> {
  const { search, cursor = '' } = visit.query;
  try {
    return (await visit.api('GET /beneficiaries', { query: { search, cursor } })).body as unknown as Found;
  } catch (error) {
    return faultOf(visit, error);
  }
}

function results(visit: TeamVisit, path: string, { items, meta }: Found): Html {
  const { language } = visit;
  const texts = PAYOUT_TEXTS[language];
  if (items.length === 0) {
    return visit.query.search ? empty(texts.saved.noneFound, '') : empty(texts.saved.none, texts.saved.noneText);
  }
  const columns: Column<Beneficiary>[] = [
    { head: texts.recipient.name, kind: 'main', cell: ({ id, name }) => html`<a href="${path}/${id}">${name}</a>` },
    { head: texts.recipient.channel, cell: ({ channel }) => channelName(channel, language) },
    { head: texts.number, cell: ({ phone, account_number }) => account_number ?? phone ?? '—' },
    { head: texts.currency, cell: ({ currency }) => currency },
    { head: texts.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${table(texts.tabs.beneficiaries, columns, items)}${pager(visit, path, meta)}`;
}

/**
 * Returns the beneficiary that the path names.
 * @throws Problem 404
 */
export async function beneficiaryOf(visit: TeamVisit): Promise<Beneficiary> {
  const { body } = await visit.api('GET /beneficiaries/:id', { params: { id: visit.params.id ?? '' } });
  return body.beneficiary as Beneficiary;
}
