import { type Language, localeOf, textsIn } from '../pages/language.ts';
import { day, zoneOfCurrency } from '../pages/moment.ts';
import { document } from '../pages/document.ts';
import { alert, field, headline, state } from '../pages/parts.ts';
import { numberFormat } from '../../kit/formatters.ts';
import { type Html, html } from '../../kit/html.ts';
import { currencyLabel, formatMoney, type Minor } from '../../kit/money.ts';
import { needsParts, type Part, partOf } from './part.ts';
import { dueOf } from './present.ts';
import type { Theme } from '../pages/theme/theme.ts';
import type { Seller } from '../../tenants/teams/schema.ts';
import type { InvoiceRow, StoredItem } from './schema.ts';
import { isPayable } from './states.ts';

/** Data that an invoice's page needs. */
export interface Scene {
  language: Language;
  merchant: string;
  /** Address and tax id of the merchant, where it has set them. */
  seller: Seller;
  theme: Theme;
  row: InvoiceRow;
  /** `/invoice/<token>`: target of the form. */
  path: string;
  /** A payment in progress, with the URL of its hosted page, or money that arrived and waits for a decision. */
  held: { by: 'payment'; url: string } | { by: 'money' } | null;
  /** Why the last request to pay was rejected. */
  complaint?: { amount?: string; alert?: string };
  /** The amount that was typed before. */
  typed?: string;
}

/** Renders the invoice for its customer, with the form to pay it or the reason why it cannot be paid. */
export function invoicePage(scene: Scene): Html {
  const { language, merchant, theme, row, path, held } = scene;
  const open = isPayable(row.status) && held === null;
  const body = html`${head(scene, open)}<div class="wide">${lines(scene)}</div><div class="side">${open ? payForm(scene) : standing(scene)}</div>`;
  const title = textsIn(language).invoice.titleOf(row.number ?? '', merchant);
  return document({ language, title, sandbox: false, theme, body, translations: path, parts: ['form', 'paper'], two: true });
}

/** Page for a URL without an invoice. */
export function unknownPage(language: Language): Html {
  const { unknownTitle, unknownText } = textsIn(language).invoice;
  return document({
    language,
    title: unknownTitle,
    sandbox: false,
    body: state({ icon: 'cross' }, unknownTitle, html`<p>${unknownText}</p>`),
  });
}

/**
 * Head of the page.
 * @param heading whether the head has the page's h1
 */
function head({ language, merchant, row }: Scene, heading: boolean): Html {
  const texts = textsIn(language).invoice;
  const shown = isPayable(row.status) ? dueOf(row) : row.amount_minor;
  const who = headline(merchant, money(row, shown, language));
  return html`<div class="head">${heading ? html`<h1>${who}</h1>` : html`<p>${who}</p>`}
<p class="what">${texts.invoice(row.number ?? '')}</p></div>`;
}

/** Notice why the invoice cannot be paid now: a payment is in progress, money is being checked, or it is paid or cancelled. */
function standing({ language, merchant, row, held }: Scene): Html {
  const { invoice: texts, checkout } = textsIn(language);
  if (held?.by === 'money') return state({ icon: 'clock' }, texts.checkedTitle, html`<p>${checkout.unmatched(merchant)}</p>`);
  if (held) {
    const rest = html`<p>${texts.underWayText}</p><a class="button" href="${held.url}">${texts.goOn}</a>`;
    return state({ icon: 'clock' }, texts.underWayTitle, rest);
  }
  return row.status === 'paid'
    ? state({ icon: 'check', tone: 'good' }, texts.paidTitle, html`<p>${texts.paidText(merchant)}</p>`)
    : state({ icon: 'cross' }, texts.cancelledTitle, html`<p>${texts.cancelledText(merchant)}</p>`);
}

function payForm(scene: Scene): Html {
  const { language, row, path, complaint = {} } = scene;
  const texts = textsIn(language).invoice;
  const due = dueOf(row);
  const part = partOf(row);
  const whole = html`<form method="post" action="${path}?lang=${language}"><button>${texts.pay(money(row, due, language))}</button></form>`;
  return html`<section><h2>${texts.payTitle}</h2>
${row.status === 'overdue' && html`<p class="soft gap">${texts.overdue}</p>`}${alert(complaint.alert ?? (complaint.amount && !part ? texts.wholeOnly : undefined))}${!needsParts(row) && whole}
${part && partForm(scene, part)}</section>`;
}

function partForm({ language, row, path, complaint = {}, typed = '' }: Scene, part: Part): Html {
  const texts = textsIn(language).invoice;
  const help = texts.amountHelp(money(row, part.least, language), money(row, part.most, language));
  const label = `${texts.amount} (${currencyLabel(row.currency, localeOf(language))})`;
  const input = field({ id: 'amount', label, help, error: complaint.amount }, (attributes) => {
    return html`<input name="amount" inputmode="decimal" maxlength="32" autocomplete="off" required value="${typed}" ${attributes}>`;
  });
  return html`<form method="post" action="${path}?lang=${language}">${input}<button class="plain">${texts.payPart}</button></form>`;
}

function lines({ language, row, merchant, seller }: Scene): Html {
  const texts = textsIn(language).invoice;
  const particulars = [
    [texts.from, seller.address === null ? merchant : `${merchant}\n${seller.address}`],
    [texts.taxId, seller.tax_id],
    [texts.for, row.name ?? row.email ?? row.phone],
    [texts.issued, row.sent_at && day(row.sent_at, zoneOfCurrency(row.currency), language)],
    [texts.due, row.due_date && day(new Date(`${row.due_date}T00:00:00Z`), 'UTC', language)],
    [texts.reference, row.reference],
  ] as const;
  const sums = [
    [texts.total, money(row, row.amount_minor, language)],
    [texts.paid, row.paid_minor > 0n ? money(row, row.paid_minor, language) : null],
    [texts.refunded, row.refunded_minor > 0n ? money(row, row.refunded_minor, language) : null],
    [texts.left, isPayable(row.status) && row.paid_minor > 0n ? money(row, dueOf(row), language) : null],
  ] as const;
  const items = row.items.map((item) => [line(row, item, language), money(row, BigInt(item.amount_minor), language)] as const);
  return html`<section><h2>${texts.items}</h2>${table(particulars, 'facts')}${table(items, 'gap lines')}${table(sums, 'bill')}</section>
${row.notes && html`<section><h2>${texts.notes}</h2><p class="soft gap">${row.notes}</p></section>`}`;
}

/** List of labels and values. Rows without a value are left out. Long words can wrap on the narrow screen of a phone. */
function table(rows: readonly (readonly [name: string, value: string | null])[], kind: string): Html {
  const given = rows.filter(([, value]) => value !== null);
  return html`<dl class="${kind}">${given.map(
    ([name, value]) => html`<div><dt>${breakable(name)}</dt><dd>${breakable(value ?? '')}</dd></div>`,
  )}</dl>`;
}

const MAX_WORD = 20;

function breakable(text: string): Html {
  const pieces = text.split(new RegExp(`(\\S{${MAX_WORD}})`, 'u')).filter((piece) => piece !== '');
  return html`${pieces.map((piece) => html`${piece}${[...piece].length === MAX_WORD && html`<wbr>`}`)}`;
}

function line(row: InvoiceRow, { name, description, quantity, unit_price_minor }: StoredItem, language: Language): string {
  const count = numberFormat(localeOf(language), { maximumFractionDigits: 3 }).format(quantity);
  const each = quantity === 1 ? '' : ` · ${count} × ${money(row, BigInt(unit_price_minor), language)}`;
  return `${name}${description ? ` (${description})` : ''}${each}`;
}

function money({ currency }: InvoiceRow, amount: Minor, language: Language): string {
  return formatMoney(amount, currency, localeOf(language));
}
