import { formatMoney, type Minor } from '../kit/money.ts';
import { totalOf } from '../payments/present.ts';
import { masked } from '../payments/saved.ts';
import type { AttemptRow, Item, PaymentRow } from '../payments/schema.ts';
import { channelById } from '../reference/channels.ts';
import { day, moment, zoneOf } from './moment.ts';
import type { PaidBack } from './store.ts';
import { type Language, type ReceiptStanding, receiptTexts } from './texts.ts';

/** An order can have 500 items: a receipt lists as many as fit a sheet or two, and says how many there are besides. */
const MOST_ITEMS = 60;
const MOST_LETTERS = 120;

type Row = readonly [name: string, value: string];

/** A receipt in the words of one language: what the page shows and what the PDF prints are made of the same one. */
export interface Receipt {
  /** The payment's. */
  id: string;
  language: Language;
  sandbox: boolean;
  merchant: string;
  /** `#rrggbb` on which white can be read. */
  brand: string;
  /** What was paid, large. */
  total: string;
  standing: string;
  facts: Row[];
  items: string[];
  sums: Row[];
  /** When the money had come, milliseconds since the epoch. */
  paid_at: number;
}

/** What a receipt is made of. */
export interface Paid {
  payment: PaymentRow;
  attempts: readonly AttemptRow[];
  /** What has gone back, oldest first; perhaps not all of it. */
  back: readonly PaidBack[];
  merchant: string;
  brand: string;
  sandbox: boolean;
  /** It is shown in the browser that paid: the only one that sees anything of the payer. */
  own: boolean;
}

/** Whether there is a receipt: the whole amount came, whatever of it has gone back since. */
export function hasReceipt(status: PaymentRow['status']): status is ReceiptStanding {
  return status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';
}

/** @param standing the payment's status */
export function receiptOf(paid: Paid, standing: ReceiptStanding, language: Language): Receipt {
  const { payment, merchant, brand, sandbox } = paid;
  const texts = receiptTexts(language);
  return {
    ...{ id: payment.id, language, sandbox, merchant, brand },
    total: formatMoney(totalOf(payment), payment.currency, language),
    standing: texts.standings[standing],
    facts: facts(paid, language),
    items: items(payment.details?.items ?? [], language),
    sums: sums(paid, language),
    paid_at: paidAt(paid).getTime(),
  };
}

/** The row's own moment of completion moves on with every refund, so it is the last charge that tells. */
function paidAt({ payment, attempts }: Pick<Paid, 'payment' | 'attempts'>): Date {
  const moments = landed(attempts).flatMap(({ closed_at }) => (closed_at ? [closed_at.getTime()] : []));
  return moments.length > 0 ? new Date(Math.max(...moments)) : (payment.completed_at ?? payment.updated_at);
}

/** Money that came after the end is on its way back, and no part of what was paid. */
function landed(attempts: readonly AttemptRow[]): AttemptRow[] {
  return attempts.filter(({ status, must_return }) => status === 'succeeded' && !must_return);
}

function facts(paid: Paid, language: Language): Row[] {
  const { payment, merchant } = paid;
  const texts = receiptTexts(language);
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

/** A payment in pieces may have come by several numbers. A card's payer is a token, which says nothing to anybody. */
function paidWith({ attempts, own }: Paid, language: Language): string | null {
  const means = receiptTexts(language).means;
  const ways = landed(attempts).flatMap(({ channel: id, payer }) => {
    const channel = channelById(id);
    if (!channel) return [];
    const name = channel.kind === 'mobile_money' ? channel.name : means[channel.kind];
    return [own && payer !== null && channel.kind !== 'card' ? `${name} ${masked(payer)}` : name];
  });
  return ways.length > 0 ? [...new Set(ways)].join(', ') : null;
}

function items(all: readonly Item[], language: Language): string[] {
  const lines = all.slice(0, MOST_ITEMS).map(({ name, description, quantity }) => {
    const text = [...(name ?? description ?? '')].slice(0, MOST_LETTERS).join('');
    return quantity === undefined ? text : `${new Intl.NumberFormat(language).format(quantity)} × ${text}`;
  });
  const left = all.length - lines.length;
  return left > 0 ? [...lines, receiptTexts(language).moreItems(left)] : lines;
}

function sums({ payment, back }: Paid, language: Language): Row[] {
  const texts = receiptTexts(language);
  const money = (amount: Minor) => formatMoney(amount, payment.currency, language);
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
