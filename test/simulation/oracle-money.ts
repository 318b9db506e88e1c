import type { Balance, Moved, Shown, ShopView, Snapshot } from './snapshot.ts';

/*
 * What all parts of the oracle count with. Written from the contract; no code of the core takes part.
 */

export const PAID: ReadonlySet<string> = new Set(['succeeded', 'partially_refunded', 'refunded']);

const WHOLE = new Set(['XAF', 'XOF', 'UGX', 'GNF', 'RWF']);

/** The smallest amount of a currency that moves, in hundredths. */
export function unitOf(currency: string): bigint {
  return WHOLE.has(currency) ? 100n : 1n;
}

/** A rate in hundredths of a percent, half-up to the decimals of the currency. */
export function feeOf(amount: number, currency: string, rate: bigint): bigint {
  const unit = unitOf(currency);
  return ((2n * minor(amount) * rate + 10_000n * unit) / (20_000n * unit)) * unit;
}

/** Hundredths of an amount on the wire, exactly. */
export function minor(amount: number | null | undefined): bigint {
  return BigInt(Math.round((amount ?? 0) * 100));
}

export function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

export function sum(moved: readonly Pick<Moved, 'amount_minor'>[]): bigint {
  return moved.reduce((all, { amount_minor }) => all + amount_minor, 0n);
}

/** The sum of one field of what the API shows. */
export function sumOf(items: readonly Shown[], field: string): bigint {
  return items.reduce((all: bigint, item) => all + minor(item[field]), 0n);
}

export function total(balances: readonly Balance[], which: (line: Balance) => boolean): bigint {
  return balances.reduce((all, line) => (which(line) ? all + line.amount_minor : all), 0n);
}

export function sumBy<T>(items: readonly T[], keyOf: (item: T) => string, amountOf: (item: T) => bigint): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0n) + amountOf(item));
  return sums;
}

/** Whether a refund or payout that has failed or been cancelled shows that its money arrived all the same. */
export function isLate({ status, message }: Shown): boolean {
  return status !== 'succeeded' && / reached the (payer|recipient) after /.test(message ?? '');
}

/** Payments as their last events show them. */
export function latestPayments({ events }: ShopView): Shown[] {
  const latest = new Map<string, Shown>();
  for (const { event, data } of events) if (event.startsWith('payment.')) latest.set(data.id, data);
  return [...latest.values()];
}

/** What the providers returned of a payment because its merchant asked for it; money that a payment could not keep is another matter. */
export function refundedOf({ moved, owners }: Snapshot, payment: string): Moved[] {
  const own = new Set(owners.filter((one) => one.payment === payment && one.kind === 'merchant').map(({ id }) => id));
  return moved.filter(({ subject }) => own.has(subject));
}

/** Whether another amount or currency moved than was asked for. */
export function isOther({ amount_minor, currency, asked_minor, asked_currency }: Moved): boolean {
  return amount_minor !== asked_minor || currency !== asked_currency;
}

/**
 * Payouts of which another amount or currency moved, and that are still under way: what came of them is decided by reconciliation. Until then
 * nothing of them is booked, and what was to be paid stays in transit.
 */
export function waitingPayouts({ moved, open }: Pick<Snapshot, 'moved' | 'open'>): ReadonlySet<string> {
  const left = new Set(open.flatMap(({ kind, id }) => (kind === 'transfer' ? [id] : [])));
  return new Set(moved.flatMap((one) => (one.flow === 'payout' && isOther(one) && left.has(one.subject) ? [one.subject] : [])));
}
