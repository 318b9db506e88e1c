import { say } from '../../../messages/say.ts';
import { totalOf } from '../../../../../core/payments/present.ts';
import { type Html, type HtmlPart, html } from '../../../../../kit/html.ts';
import type { Json } from '../../../../../kit/json.ts';
import { hundredths } from '../../../../../kit/money.ts';
import { hasReceipt } from '../../../../receipts/receipt.ts';
import type { ConsoleLanguage } from '../../../language.ts';
import type { TeamVisit } from '../../../page.ts';
import { channelName } from '../../../parts/channels.ts';
import { money, moment, wireMoney } from '../../../parts/format.ts';
import { badge, card, type Column, facts, idText, shortId, table, type Tone, when } from '../../../parts/parts.ts';
import type { Dispute, Refund, Story } from './story.ts';
import { ONE_TEXTS } from './texts.ts';

/** Maximum items of an order that are listed. */
const MAX_ITEMS = 50;

/** Amounts of a payment: charged, kept and returned, and when they become available. */
export function amounts({ language }: TeamVisit, { payment, shares, disputes }: Story): Html {
  const texts = ONE_TEXTS[language];
  const { amount_minor, captured_minor, fee_minor, refunded_minor, bearer, currency } = payment;
  const show = (amount: bigint) => money(amount, currency, language);
  const lost = disputes.reduce((sum, { status, amount }) => (status === 'lost' ? sum + hundredths(amount) : sum), 0n);
  // The fee is kept when a payment is refunded or charged back.
  const net = hasReceipt(payment.status) ? totalOf(payment) - fee_minor - refunded_minor - lost : null;
  const own = shares.find(({ account_id }) => account_id === '');
  const others = shares.filter(({ account_id }) => account_id !== '');
  return card(
    texts.cards.amounts,
    facts([
      [texts.amounts.amount, show(amount_minor)],
      [texts.amounts.total, bearer === 'customer' && fee_minor > 0n && show(totalOf(payment))],
      [texts.amounts.captured, show(captured_minor)],
      [texts.amounts.fee, html`${show(fee_minor)} <span class="note">${texts.feeBy[bearer]}</span>`],
      [texts.amounts.refunded, refunded_minor > 0n && show(refunded_minor)],
      [texts.amounts.lost, lost > 0n && show(lost)],
      [texts.amounts.net, net !== null && html`<strong>${show(net)}</strong>`],
      [texts.amounts.yours, others.length > 0 && show(own?.share_minor ?? 0n)],
      ...others.map(
        ({ account_id, share_minor }) => [`${texts.amounts.account} ${account_id}`, show(share_minor)] as [string, HtmlPart],
      ),
      [texts.available.label, shares.length > 0 && availability(shares, language)],
    ]),
  );
}

/** Returns when the shares of a payment become available. */
function availability(shares: Story['shares'], language: ConsoleLanguage): Html {
  const texts = ONE_TEXTS[language].available;
  const words = shares.map(({ released_at, release_at }) =>
    released_at ? texts.since(moment(released_at, language)) : texts.from(moment(release_at, language)),
  );
  return html`${[...new Set(words)].join(', ')} (UTC)`;
}

/** The payer and the payment method. */
export function payer({ language, base, can }: TeamVisit, { payment }: Story): Html {
  const texts = ONE_TEXTS[language];
  const { customer_id, name, phone, email, channel, payment_method } = payment;
  const link = can('customer.read') ? `${base}/customers/${customer_id}` : undefined;
  return card(
    texts.cards.payer,
    facts([
      [texts.payer.customer, customer_id && idText(customer_id, link)],
      [texts.payer.name, name],
      [texts.payer.phone, phone],
      [texts.payer.email, email],
      [texts.payer.channel, channel && html`${channelName(channel, language)} <code>${channel}</code>`],
      [texts.payer.saved, payment_method && idText(payment_method)],
    ]),
  );
}

/** Further fields of the payment. */
export function details({ language, base }: TeamVisit, { payment }: Story): Html {
  const texts = ONE_TEXTS[language];
  const { id, reference, description, created_at, completed_at, expires_at, reason, message } = payment;
  const { key_id, account_id, callback, retry_of, retried_by } = payment;
  return card(
    texts.cards.details,
    facts([
      [texts.details.id, idText(id)],
      [texts.details.reference, reference],
      [texts.details.description, description],
      [texts.details.created, when(created_at, language)],
      [texts.details.completed, completed_at && when(completed_at, language)],
      [texts.details.expires, completed_at === null && when(expires_at, language)],
      [texts.details.reason, reason && html`<code>${reason}</code>`],
      [texts.details.message, message],
      [texts.details.madeBy, idText(key_id)],
      [texts.details.retryOf, retry_of && idText(retry_of, `${base}/payments/${retry_of}`)],
      [texts.details.retriedBy, retried_by && idText(retried_by, `${base}/payments/${retried_by}`)],
      [texts.details.account, account_id && idText(account_id, `${base}/subaccounts/${account_id}`)],
      [texts.details.callback, callback],
    ]),
  );
}

/** Data that the merchant sent with the payment. */
export function extras({ language }: TeamVisit, { payment }: Story): Html {
  const texts = ONE_TEXTS[language];
  const { metadata, items = [] } = payment.details ?? {};
  const entries = Object.entries(metadata ?? {});
  const listed = (items ?? []).slice(0, MAX_ITEMS);
  const more = (items ?? []).length - listed.length;
  return html`${
    entries.length > 0 && card(texts.cards.metadata, facts(entries.map(([name, value]) => [name, textOf(value)] as const)))
  }${
    listed.length > 0 &&
    card(
      texts.cards.items,
      html`<ul class="plain">${listed.map(
        ({ name, description, quantity }) =>
          html`<li>${quantity !== undefined && html`${quantity} × `}${name ?? description ?? '—'}</li>`,
      )}${more > 0 && html`<li>+ ${more}</li>`}</ul>`,
    )
  }`;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An amount with the id of its refund or dispute. */
function amountWithId({ id, amount, currency }: Refund | Dispute, language: ConsoleLanguage, href?: string): Html {
  return html`${wireMoney(amount, currency, language)}<br><span id="${id}">${shortId(id, href)}</span>`;
}

const REFUND_TONES: Record<Refund['status'], Tone> = { pending: 'idle', processing: 'info', succeeded: 'good', failed: 'bad' };

/** Renders the status of a refund. */
export function refundBadge(status: Refund['status'], language: ConsoleLanguage): Html {
  return badge(ONE_TEXTS[language].refundStatuses[status], REFUND_TONES[status]);
}

const DISPUTE_TONES: Record<Dispute['status'], Tone> = {
  ...{ needs_response: 'bad', under_review: 'warn', won: 'good', lost: 'bad', closed: 'idle' },
};

/** Table of the refunds of a payment. */
export function refunds({ language }: TeamVisit, { refunds: rows }: Story): Html {
  const texts = ONE_TEXTS[language];
  const columns: Column<Refund>[] = [
    { head: texts.table.amount, kind: 'main', cell: (row) => amountWithId(row, language) },
    {
      head: texts.table.status,
      cell: ({ status, message, failure_reason }) =>
        html`${refundBadge(status, language)}${(message ?? failure_reason) && html`<br><span class="note">${say(language, message ?? failure_reason ?? '')}</span>`}`,
    },
    {
      head: texts.table.reason,
      cell: ({ reason }) => texts.refund.reasons[reason as keyof typeof texts.refund.reasons] ?? reason,
    },
    { head: texts.table.created, cell: ({ created_at }) => when(created_at, language) },
  ];
  return html`${rows.length > 0 && card(texts.cards.refunds, table(texts.cards.refunds, columns, rows))}`;
}

/** Table of the disputes of a payment. */
export function disputes({ language, base }: TeamVisit, { disputes: rows }: Story): Html {
  const texts = ONE_TEXTS[language];
  const columns: Column<Dispute>[] = [
    { head: texts.table.amount, kind: 'main', cell: (row) => amountWithId(row, language, `${base}/disputes/${row.id}`) },
    { head: texts.table.status, cell: ({ status }) => badge(texts.disputeStatuses[status], DISPUTE_TONES[status]) },
    { head: texts.table.reason, cell: ({ reason }) => reason },
    { head: texts.table.due, cell: ({ due_at }) => (due_at ? when(due_at, language) : '—') },
  ];
  return html`${rows.length > 0 && card(texts.cards.disputes, table(texts.cards.disputes, columns, rows))}`;
}
