import { latestPayments, minor } from './oracle.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

const PAID = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** Links are used as often as they may be, and links and invoices show what was really paid. */
export function judgeSales(shop: ShopView, { mismatches }: Snapshot): string[] {
  const own = new Set(shop.payments.map(({ id }) => id));
  const waiting = mismatches.filter(({ payment }) => own.has(payment)).length;
  const payments = Map.groupBy(latestPayments(shop), ({ reference }) => reference as string | null);
  const invoices = shop.invoices.flatMap((invoice: Shown) => {
    const paid = (payments.get(invoice.number) ?? []).filter(({ status }) => PAID.has(status));
    const sum = paid.reduce((all, { amount }) => all + minor(amount), 0n);
    const wrong = invoice.number !== null && sum !== minor(invoice.amount_paid);
    const open = invoice.status === 'paid' && minor(invoice.amount_paid) < minor(invoice.amount);
    return [
      ...(wrong ? [`INVOICE: ${invoice.id} shows ${invoice.amount_paid} as paid, its payments sum to ${sum}`] : []),
      ...(open ? [`INVOICE: ${invoice.id} is paid, ${invoice.amount_paid} of ${invoice.amount}`] : []),
    ];
  });
  const links = shop.links.flatMap(({ id, max_uses, payments_succeeded, payments_open, amount, amount_collected }: Shown) => [
    ...(max_uses !== null && payments_succeeded > max_uses
      ? [`LINK: ${id} was paid ${payments_succeeded} times of ${max_uses}`]
      : []),
    ...(payments_open <= waiting ? [] : [`LINK: ${id} still has ${payments_open} open payments`]),
    ...(amount === null || minor(amount) * BigInt(payments_succeeded) === minor(amount_collected)
      ? []
      : [`LINK: ${id} collected ${amount_collected} by ${payments_succeeded} payments`]),
  ]);
  return [...invoices, ...links];
}
