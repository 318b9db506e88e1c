import { numberFormat } from '../../kit/formatters.ts';
import { formatMoney, type Minor } from '../../kit/money.ts';
import { totalOf } from '../../core/payments/present.ts';
import { masked } from '../../core/charge/saved.ts';
import type { AttemptRow } from '../../core/attempts/schema.ts';
import type { Item } from '../../core/payments/fields.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import { channelById } from '../../providers/reference/channels.ts';
import { day, moment, zoneOf } from '../pages/moment.ts';
import type { PaidBack } from './store.ts';
import { type Language, localeOf, textsIn } from '../pages/language.ts';
import type { ReceiptStanding } from '../pages/texts/receipt.ts';

/**
 * Maximum items listed. An order can have 500; a receipt lists as many as fit on one or two sheets, and the number of the
 * others.
 */
const MAX_ITEMS = 60;
const MAX_LETTERS = 120;

type Row = readonly [name: string, value: string];

/** A receipt in one language. The page and the PDF are generated from the same one. */
export interface Receipt {
  /** Id of the payment. */
  id: string;
  language: Language;
  sandbox: boolean;
  merchant: string;
  /** Brand colour `#rrggbb`, dark enough for white text. */
  brand: string;
  /** The amount paid, shown large. */
  total: string;
  standing: string;
  facts: Row[];
  items: string[];
  sums: Row[];
  /** When the last charge succeeded, in milliseconds since the epoch. */
  paid_at: number;
}

/** Data from which a receipt is generated. */
export interface Paid {
  payment: PaymentRow;
  attempts: readonly AttemptRow[];
  /** Refunds, oldest first; possibly not all of them. */
  back: readonly PaidBack[];
  merchant: string;
  brand: string;
  sandbox: boolean;
  /** Whether it is shown in the browser that paid, the only one that may see the payer's details. */
  own: boolean;
}

/** Returns whether the payment has a receipt: the full amount was paid, even if it was refunded later. */
export function hasReceipt(status: PaymentRow['status']): status is ReceiptStanding {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/**
 * Returns the receipt of a payment.
 * @param standing the payment's status
 */
export function receiptOf(paid: Paid, standing: ReceiptStanding, language: Language): Receipt {
  const { payment, merchant, brand, sandbox } = paid;
  const texts = textsIn(language).receipt;
  return {
    ...{ id: payment.id, language, sandbox, merchant, brand },
    total: formatMoney(totalOf(payment), payment.currency, localeOf(language)),
    standing: texts.standings[standing],
    facts: facts(paid, language),
    items: items(payment.details?.items ?? [], language),
    sums: sums(paid, language),
    paid_at: paidAt(paid).getTime(),
  };
}

/** Returns the close of the last successful charge, not the payment's `completed_at`, which refunds changed in the first releases. */
function paidAt({ payment, attempts }: Pick<Paid, 'payment' | 'attempts'>): Date {
  const moments = landed(attempts).flatMap(({ closed_at }) => (closed_at ? [closed_at.getTime()] : []));
  return moments.length > 0 ? new Date(Math.max(...moments)) : (payment.completed_at ?? payment.updated_at);
}

/** Returns the successful attempts. Money that arrived after the payment's end is returned, and not part of the amount paid. */
function landed(attempts: readonly AttemptRow[]): AttemptRow[] {
  return attempts.filter(({ status, must_return }) => status === 'succeeded' && !must_return);
}

function facts(paid: Paid, language: Language): Row[] {
  const { payment, merchant } = paid;
  const texts = textsIn(language).receipt;
  const rows: [string, string | null][] = [
    [texts.date, moment(paidAt(paid), zoneOf(payment.channel), language)],
    [texts.paidTo, merchant],
    [texts.paidWith, paidWith(paid, language)],
    [texts.description, payment.description],
    [texts.reference, payment.reference],
    [texts.transaction, payment.id],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null && row[1].trim() !== '');
}

/**
 * Channels and masked numbers that were used. A payment in tranches may come from several numbers. A card's payer is a token,
 * which is not shown.
 */
function paidWith({ attempts, own }: Paid, language: Language): string | null {
  const means = textsIn(language).receipt.means;
  const ways = landed(attempts).flatMap(({ channel: id, payer }) => {
    const channel = channelById(id);
    if (!channel) return [];
    const name = channel.kind === 'mobile_money' ? channel.name : means[channel.kind];
    return [own && payer !== null && channel.kind !== 'card' ? `${name} ${masked(payer)}` : name];
  });
  return ways.length > 0 ? [...new Set(ways)].join(', ') : null;
}

function items(all: readonly Item[], language: Language): string[] {
  const lines = all.slice(0, MAX_ITEMS).map(({ name, description, quantity }) => {
    const text = [...(name ?? description ?? '')].slice(0, MAX_LETTERS).join('');
    return quantity === undefined ? text : `${numberFormat(localeOf(language), {}).format(quantity)} × ${text}`;
  });
  const left = all.length - lines.length;
  return left > 0 ? [...lines, textsIn(language).receipt.moreItems(left)] : lines;
}

function sums({ payment, back }: Paid, language: Language): Row[] {
  const texts = textsIn(language).receipt;
  const money = (amount: Minor) => formatMoney(amount, payment.currency, localeOf(language));
  const borne = payment.bearer === 'customer' && payment.fee_minor > 0n;
  const charged: Row[] = borne
    ? [
        [texts.amount, money(payment.amount_minor)],
        [texts.fee, money(payment.fee_minor)],
      ]
    : [];
  const zone = zoneOf(payment.channel);
  const known = back.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
  const others = payment.refunded_minor - known;
  return [
    ...charged,
    [texts.paid, money(totalOf(payment))],
    ...back.map(
      ({ amount_minor, completed_at }): Row => [texts.refundOf(day(completed_at, zone, language)), money(-amount_minor)],
    ),
    ...(others > 0n ? [[texts.otherRefunds, money(-others)] as const] : []),
  ];
}
