import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { type Fault, faultOf } from '../../parts/fault.ts';
import { number, wireMoney } from '../../parts/format.ts';
import { type CursorMeta, pager } from '../../parts/pager.ts';
import { alert, card, confirm, doneAlert, empty, facts, idText, when } from '../../parts/parts.ts';
import { shareCard } from '../../parts/share.ts';
import { switchFields, switchOnce } from '../../switch-once.ts';
import { type Listed, paymentsTable } from '../payments/list.ts';
import { amountOf, type Link, linkBadge, linkOf } from './read.ts';
import { LINK_TEXTS } from './texts.ts';

/** Payments listed on the page of a link. */
const PAYMENTS = 10;

/** Shows one payment link, with the reason of a rejected action. */
export async function showLink(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = LINK_TEXTS[language];
  const link = await linkOf(visit);
  const payments = await paymentsCard(visit, link);
  return {
    kind: 'page',
    title: link.title,
    nav: '/links',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/links">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${link.title} ${linkBadge(link.status, language)}</h1><p class="note">${idText(link.id)}</p></div>
<div class="actions">${visit.can('link.write') && actions(visit, link, fault)}</div></div>${alert(fault?.message)}${!fault && doneAlert(texts.done, query.done)}
<div class="columns"><div>${detailsCard(visit, link)}${payments}</div><div>${shareCard(visit, texts.page, link.url)}</div></div>`,
  };
}

/** Activates or deactivates a payment link. */
export async function setActive(visit: TeamVisit, active: boolean): Promise<Answer> {
  const id = visit.params.id ?? '';
  try {
    const wanted = active ? 'active' : 'inactive';
    const isSwitched = async () => (await linkOf(visit)).status === wanted;
    await switchOnce(visit, 'PATCH /links/:id', { params: { id }, body: { active } }, isSwitched);
  } catch (error) {
    return showLink(visit, faultOf(visit, error));
  }
  return redirect(`${visit.base}/links/${id}?done=${active ? 'activate' : 'deactivate'}`);
}

function actions(visit: TeamVisit, link: Link, fault?: Fault): Html {
  const { id, status } = link;
  const texts = LINK_TEXTS[visit.language];
  const path = `${visit.base}/links/${id}`;
  const hidden = switchFields(visit, link, fault);
  const { activate, deactivate, deactivateWhy } = texts.actions;
  return html`${
    status === 'inactive'
      ? html`<form method="post" action="${path}/activate">${hidden}<button class="quiet-button">${activate}</button></form>`
      : confirm({ summary: deactivate, why: deactivateWhy, action: `${path}/deactivate`, danger: true }, hidden)
  }<a class="button" href="${path}/edit">${texts.edit}</a>`;
}

function detailsCard({ language }: TeamVisit, link: Link): Html {
  const texts = LINK_TEXTS[language];
  const { currency, min_amount, max_amount, payments_succeeded, max_uses, expires_at, metadata } = link;
  const money = (amount: number | null) => amount !== null && wireMoney(amount, currency, language);
  const count = (value: number) => number(value, language);
  const rows: (readonly [string, HtmlPart])[] = [
    [texts.collected, html`<strong>${money(link.amount_collected)}</strong>`],
    [texts.succeeded, max_uses === null ? count(payments_succeeded) : texts.usesOf(count(payments_succeeded), count(max_uses))],
    [texts.attempts, count(link.payments)],
    [texts.amount, amountOf(link, language)],
    [texts.least, money(min_amount)],
    [texts.greatest, money(max_amount)],
    [texts.description, link.description && html`<span class="pre">${link.description}</span>`],
    [texts.reference, link.reference],
    [texts.collect, link.collect.map((name) => texts.fields[name]).join(', ')],
    [texts.callback, link.callback],
    [texts.expires, expires_at === null ? texts.never : when(expires_at, language)],
    [texts.created, when(link.created_at, language)],
  ];
  const own = Object.entries(metadata ?? {}).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  );
  return html`${card(texts.details, facts(rows))}${own.length > 0 && card(texts.metadata, facts(own))}`;
}

async function paymentsCard(visit: TeamVisit, { id }: Link): Promise<Html | null> {
  if (!visit.can('payment.read')) return null;
  const texts = LINK_TEXTS[visit.language];
  const { cursor = '' } = visit.query;
  const { body } = await visit.api('GET /links/:id/payments', { params: { id }, query: { per_page: PAYMENTS, cursor } });
  const { items, meta } = body as unknown as { items: Listed[]; meta: CursorMeta };
  const pages = pager({ ...visit, query: { cursor } }, `${visit.base}/links/${id}`, meta);
  return card(texts.payments, items.length === 0 ? empty(texts.noPayments, '') : html`${paymentsTable(visit, items)}${pages}`);
}
