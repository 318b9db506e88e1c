import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { channelName } from '../../parts/channels.ts';
import type { Fault } from '../../parts/fault.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, badge, card, type Column, doneAlert, empty, facts, idText, table, when } from '../../parts/parts.ts';
import { switchFields } from '../../switch-once.ts';
import { type Listed, paymentsTable } from '../payments/list.ts';
import { type Customer, customerOf, type Method, titleOf } from './read.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

/** Payments listed on the page of a customer. */
const PAYMENTS = 10;

/**
 * Shows one customer, with the reason of a rejected action; of an erased one only the id, the day of the erasure and the payments, which have
 * no personal data.
 */
export async function showCustomer(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = CUSTOMER_TEXTS[language];
  const customer = await customerOf(visit);
  const [payments, methods] = await Promise.all([paymentsCard(visit, customer), methodsCard(visit, customer)]);
  const erased = customer.archived_at !== null;
  const title = erased ? texts.erased : titleOf(customer);
  return {
    kind: 'page',
    title,
    nav: '/customers',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/customers">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${title} ${customer.blocked && !erased && badge(texts.blocked, 'bad')}</h1><p class="note">${idText(customer.id)}</p></div>
<div class="actions">${!erased && actions(visit, customer, fault)}</div></div>${alert(fault?.message)}${!fault && doneAlert(texts.done, query.done)}${erased && alert(texts.erasedText, 'info')}
<div class="columns"><div>${payments}${methods}</div><div>${detailsCard(visit, customer)}</div></div>`,
  };
}

function actions(visit: TeamVisit, customer: Customer, fault?: Fault): Html | null {
  const { id, blocked } = customer;
  if (!visit.can('customer.write')) return null;
  const texts = CUSTOMER_TEXTS[visit.language];
  const path = `${visit.base}/customers/${id}`;
  const verb = blocked ? 'unblock' : 'block';
  return html`<form method="post" action="${path}/${verb}">${switchFields(visit, customer, fault)}<button class="quiet-button">${texts.actions[verb]}</button></form>
<a class="button danger" href="${path}/erase">${texts.actions.erase}</a>`;
}

function detailsCard({ language }: TeamVisit, customer: Customer): Html {
  const texts = CUSTOMER_TEXTS[language];
  const { name, company_name, email, phone, tax_id, address, billing, metadata, created_at, archived_at } = customer;
  const rows: (readonly [string, HtmlPart])[] = [
    [texts.name, name],
    [texts.company, company_name],
    [texts.email, email],
    [texts.phone, phone],
    [texts.taxId, tax_id],
    [texts.address, address && linesOf(address)],
    [texts.billing, billing && linesOf(billing)],
    [texts.created, when(created_at, language)],
    [texts.erasedAt, archived_at && when(archived_at, language)],
  ];
  const own = Object.entries(metadata ?? {}).map(([key, value]) => [key, textOf(value)] as const);
  return html`${card(texts.details, facts(rows))}${own.length > 0 && card(texts.metadata, facts(own))}`;
}

function linesOf(object: object): Html {
  return html`${Object.values(object).map((value, i) => html`${i > 0 && html`<br>`}${textOf(value)}`)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function paymentsCard(visit: TeamVisit, { id }: Customer): Promise<Html | null> {
  if (!visit.can('payment.read')) return null;
  const texts = CUSTOMER_TEXTS[visit.language];
  const { cursor = '' } = visit.query;
  const { body } = await visit.api('GET /customers/:id/payments', { params: { id }, query: { per_page: PAYMENTS, cursor } });
  const { items, meta } = body as unknown as { items: Listed[]; meta: CursorMeta };
  const pages = pager({ ...visit, query: { cursor } }, `${visit.base}/customers/${id}`, meta);
  const shown = items.length === 0 ? empty(texts.noPayments, '') : html`${paymentsTable(visit, items)}${pages}`;
  return card(texts.payments, shown);
}

async function methodsCard(visit: TeamVisit, { id }: Customer): Promise<Html | null> {
  if (!visit.can('payment_method.read')) return null;
  const { language, base } = visit;
  const texts = CUSTOMER_TEXTS[language];
  const { body } = await visit.api('GET /customers/:id/payment_methods', { params: { id }, query: { per_page: 100 } });
  const items = (body as { items: Method[] }).items;
  if (items.length === 0) return null;
  const columns: Column<Method>[] = [
    { head: texts.method, kind: 'main', cell: ({ channel, brand }) => brand ?? channelName(channel, language) },
    { head: texts.number, cell: ({ last4 }) => (last4 === null ? '—' : `•••• ${last4}`) },
    { head: texts.used, cell: ({ last_used_at }) => when(last_used_at, language) },
    {
      head: texts.actions.remove,
      cell: (method) =>
        visit.can('payment_method.write')
          ? html`<form method="post" action="${base}/customers/${id}/payment_methods/${method.id}/delete">${visit.formFields()}<button class="link">${texts.actions.remove}</button></form>`
          : '—',
    },
  ];
  return card(texts.methods, table(texts.methods, columns, items));
}
