import { latestPayments, minor, PAID, sumOf } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** Links are used as often as they may be, and links and invoices show what was really paid. */
export function judgeSales(shop: ShopView, { mismatches, moved, owners }: Snapshot): string[] {
  const waiting = new Set(mismatches.map(({ payment }) => payment));
  const paymentOf = new Map(owners.map(({ id, payment }) => [id, payment]));
  const denied = new Set(moved.flatMap((one) => (one.denied ? [paymentOf.get(one.subject) ?? ''] : [])));
  const payments = latestPayments(shop);
  const byLink = Map.groupBy(payments, ({ metadata }) => metadata?.link as string | undefined);
  const byNumber = Map.groupBy(payments, ({ reference }) => reference as string | null);
  return [
    ...shop.invoices.flatMap((invoice) =>
      judgeInvoice(invoice, invoice.number === null ? [] : (byNumber.get(invoice.number) ?? [])),
    ),
    ...shop.links.flatMap((link) => judgeLink(link, byLink.get(link.id) ?? [], waiting, denied)),
    ...shop.links.flatMap((link) => judgeTyped(link, byLink.get(link.id) ?? [], shop)),
    ...judgeBlocked(shop),
    ...judgeRetries(shop),
  ];
}

function judgeInvoice(invoice: Shown, payments: readonly Shown[]): string[] {
  const { id, status, amount, amount_paid, amount_due } = invoice;
  const paid = payments.filter((one) => PAID.has(one.status));
  const sum = sumOf(paid, 'amount');
  const whole = minor(amount);
  const due = status === 'paid' || status === 'cancelled' ? 0n : whole - sum;
  return [
    ...(sum === minor(amount_paid) ? [] : [`INVOICE: ${id} shows ${amount_paid} as paid, its payments sum to ${sum}`]),
    ...(sum <= whole ? [] : [`INVOICE: ${sum} were paid of ${id}, which is over ${amount}`]),
    ...((status === 'paid') === sum >= whole ? [] : [`INVOICE: ${id} is ${status}, ${amount_paid} of ${amount} are paid`]),
    ...(amount_due === undefined || minor(amount_due) === due
      ? []
      : [`INVOICE: ${id} says that ${amount_due} are due, should be ${due}`]),
  ];
}

function judgeLink(link: Shown, payments: readonly Shown[], waiting: ReadonlySet<string>, denied: ReadonlySet<string>): string[] {
  const { id, max_uses, payments_succeeded, payments_open, amount, amount_collected } = link;
  const paid = payments.filter(({ status }) => PAID.has(status));
  // Another amount that arrived after the end of a payment does not open it again.
  const open = payments.filter((one) => waiting.has(one.id) && one.completed_at === null).length;
  const other = amount === null ? [] : payments.filter((one) => one.amount !== amount);
  return [
    // The use of a payment that was denied was free for another, and its payer has paid all the same.
    ...(max_uses !== null && paid.filter((one) => !denied.has(one.id)).length > max_uses
      ? [`LINK: ${id} was paid ${paid.length} times of ${max_uses}`]
      : []),
    ...(paid.length === payments_succeeded ? [] : [`LINK: ${id} shows ${payments_succeeded} payments, ${paid.length} succeeded`]),
    ...(payments.length === link.payments
      ? []
      : [`LINK: ${id} shows ${link.payments} payments in all, there are ${payments.length}`]),
    ...(payments_open === open ? [] : [`LINK: ${id} still has ${payments_open} open payments, should have ${open}`]),
    ...(sumOf(paid, 'amount') === minor(amount_collected)
      ? []
      : [`LINK: ${id} collected ${amount_collected}, its payments sum to ${sumOf(paid, 'amount')}`]),
    ...other.map((one) => `LINK: ${one.id} of ${id} is over ${one.amount}, should be ${amount}`),
  ];
}

/** Where the payer chooses the amount, it is what a payer typed. */
function judgeTyped({ id, amount }: Shown, payments: readonly Shown[], { typed }: ShopView): string[] {
  if (amount !== null) return [];
  const wanted = typed.get(id) ?? [];
  return payments
    .filter((one) => !wanted.includes(one.amount))
    .map((one) => `LINK: ${one.id} of ${id} is over ${one.amount}, which nobody typed`);
}

function judgeBlocked({ customers, blocked, erased }: ShopView): string[] {
  return customers.flatMap(({ id, blocked: shown }) => {
    const wanted = blocked.has(id) ? blocked.get(id) : false;
    if (wanted === null || shown === wanted || erased.includes(id)) return [];
    return [`BLOCKED: ${id} is shown as ${shown ? 'blocked' : 'not blocked'}, which is not what its merchant wanted last`];
  });
}

/** One of the payments that try each other again is paid at most, and it is the last: those before it were declined. */
function judgeRetries(shop: ShopView): string[] {
  const status = new Map(latestPayments(shop).map((one) => [one.id, one.status as string]));
  const payments = new Map(shop.retrieved.filter(({ id }) => status.has(id)).map((one) => [one.id, one]));
  return [...payments.values()].flatMap(({ id, retry_of, retried_by }) => {
    const [before, next] = [payments.get(retry_of), payments.get(retried_by)];
    return [
      ...(retry_of && before?.retried_by !== id
        ? [`RETRY: ${id} tries ${retry_of} again, which says ${before?.retried_by}`]
        : []),
      ...(retried_by && next?.retry_of !== id
        ? [`RETRY: ${id} was tried again by ${retried_by}, which says ${next?.retry_of}`]
        : []),
      ...(retried_by && PAID.has(status.get(id) ?? '') ? [`RETRY: ${id} is paid, and was tried again by ${retried_by}`] : []),
    ];
  });
}
