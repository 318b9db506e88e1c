import { type Html, type HtmlPart, html } from '../../../../kit/html.ts';
import { isPayable } from '../../../invoices/states.ts';
import { isLanguage, textsIn } from '../../../pages/language.ts';
import type { Answer, TeamVisit } from '../../page.ts';
import { withQuery } from '../../paths.ts';
import type { Fault } from '../../parts/fault.ts';
import { dayText, number, wireMoney } from '../../parts/format.ts';
import { alert, card, type Column, confirm, doneAlert, facts, idText, table, when } from '../../parts/parts.ts';
import { shareCard } from '../../parts/share.ts';
import { seenField } from '../../parts/seen.ts';
import { type Invoice, invoiceBadge, invoiceOf, recipientOf } from './read.ts';
import { INVOICE_TEXTS } from './texts.ts';
import { typedFrom } from './typed.ts';

/** Shows one invoice, with the reason of a rejected action. */
export async function showInvoice(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, base, query } = visit;
  const texts = INVOICE_TEXTS[language];
  const invoice = await invoiceOf(visit);
  const title = invoice.number ?? recipientOf(invoice);
  const shared = invoice.url !== null && isPayable(invoice.status);
  return {
    kind: 'page',
    title: `${invoice.number ?? texts.draft} · ${recipientOf(invoice)}`,
    nav: '/invoices',
    ...(fault ? { status: fault.status } : {}),
    body: html`<p class="back"><a href="${base}/invoices">← ${texts.title}</a></p>
<div class="page-head"><div><h1>${title} ${invoiceBadge(invoice.status, language)}</h1><p class="note">${idText(invoice.id)}</p></div>
<div class="actions">${visit.can('invoice.write') && actions(visit, invoice, fault)}</div></div>${alert(fault?.message)}${!fault && doneAlert(texts.done, query.done)}
${shared && invoice.recipient.email === null && alert(texts.noMail, 'info')}
<div class="columns"><div>${linesCard(visit, invoice)}${paymentsCard(visit, invoice)}</div>
<div>${detailsCard(visit, invoice)}${shared && shareCard(visit, texts.page, invoice.url ?? '')}</div></div>`,
  };
}

/** Actions that this person may take on the invoice in its status. */
function actions(visit: TeamVisit, invoice: Invoice, fault?: Fault): Html | null {
  const { id, status, recipient } = invoice;
  const texts = INVOICE_TEXTS[visit.language].actions;
  const path = `${visit.base}/invoices/${id}`;
  if (status === 'draft') {
    const why = recipient.email === null ? texts.sendNoMail : texts.sendTo;
    return html`<a class="button quiet-button" href="${path}/edit">${INVOICE_TEXTS[visit.language].edit}</a>${confirm(
      { summary: texts.delete, why: texts.deleteWhy, action: `${path}/delete`, danger: true },
      visit.formFields(),
    )}${confirm({ summary: texts.send, why, action: `${path}/send` }, html`${visit.formFields()}${seenField(visit, typedFrom(invoice), fault)}`)}`;
  }
  if (!isPayable(status)) return null;
  return html`${
    recipient.email !== null &&
    html`<form method="post" action="${path}/send">${visit.formFields()}<button class="quiet-button">${texts.remind}</button></form>`
  }${confirm({ summary: texts.cancel, why: texts.cancelWhy, action: `${path}/cancel`, danger: true }, visit.formFields())}`;
}

function linesCard({ language }: TeamVisit, invoice: Invoice): Html {
  const texts = INVOICE_TEXTS[language];
  const { currency, amount_paid, amount_refunded, status } = invoice;
  const money = (amount: number) => wireMoney(amount, currency, language);
  const columns: Column<Invoice['items'][number]>[] = [
    {
      head: texts.line,
      kind: 'main',
      cell: ({ name, description }) =>
        html`<span>${name}${description && html`<span class="under">${description}</span>`}</span>`,
    },
    { head: texts.quantity, kind: 'number', cell: ({ quantity }) => number(quantity, language) },
    { head: texts.price, kind: 'number', cell: ({ unit_price }) => money(unit_price) },
    { head: texts.amount, kind: 'number', cell: ({ amount }) => money(amount) },
  ];
  const sums = facts([
    [texts.total, html`<strong>${money(invoice.amount)}</strong>`],
    [texts.paid, amount_paid > 0 && money(amount_paid)],
    [texts.refunded, amount_refunded > 0 && money(amount_refunded)],
    [texts.left, isPayable(status) && amount_paid > 0 && money(invoice.amount_due)],
  ]);
  return card(
    texts.lines,
    html`${table(texts.lines, columns, invoice.items)}<div class="sums">${sums}</div>${invoice.notes && html`<p class="quote pre">${invoice.notes}</p>`}`,
  );
}

function paymentsCard({ language, base, can }: TeamVisit, { number: name, payment }: Invoice): Html | null {
  if (name === null || payment === null || !can('payment.read')) return null;
  const texts = INVOICE_TEXTS[language];
  const all = withQuery(`${base}/payments`, { search: name });
  return card(
    texts.payments,
    html`${facts([[texts.latest, idText(payment, `${base}/payments/${payment}`)]])}<p><a href="${all}">${texts.allPayments}</a></p>`,
  );
}

function detailsCard({ language, base }: TeamVisit, invoice: Invoice): Html {
  const texts = INVOICE_TEXTS[language];
  const { recipient, due_date, reference, locale, allow_partial, min_amount, currency } = invoice;
  const at = (time: string | null) => time && when(time, language);
  const least = min_amount === null ? texts.partialLabel : texts.leastOf(wireMoney(min_amount, currency, language));
  const rows: (readonly [string, HtmlPart])[] = [
    [texts.customer, html`<a href="${base}/customers/${invoice.customer}">${recipientOf(invoice)}</a>`],
    [texts.email, recipient.email],
    [texts.phone, recipient.phone],
    [texts.due, due_date && dayText(due_date, language)],
    [texts.reference, reference],
    [texts.partial, allow_partial && least],
    [texts.locale, isLanguage(locale) && textsIn(locale).name],
    [texts.created, at(invoice.created_at)],
    [texts.sent, at(invoice.sent_at)],
    [texts.viewed, at(invoice.viewed_at)],
    [texts.paidAt, at(invoice.paid_at)],
    [texts.cancelledAt, at(invoice.cancelled_at)],
  ];
  return card(texts.details, facts(rows));
}
