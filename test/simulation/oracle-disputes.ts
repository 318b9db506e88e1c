import { latestPayments, minor, refundedOf, sum } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** What was charged back by the disputes that the scheme decided, in hundredths. */
export function claimedOf({ claims, payments, disputes }: ShopView, which: (payment: Shown) => boolean): bigint {
  const own = new Set(payments.filter(which).map(({ id }) => id));
  const lost = claims.filter(({ status, payment }) => status === 'lost' && own.has(payment));
  return lost.reduce(
    (all, { id, amount_minor }) => all + (amount_minor ?? minor(disputes.find((one) => one.id === id)?.amount)),
    0n,
  );
}

/** A dispute ends as it was decided, and what was lost is booked of its own payment, once. */
export function judgeDisputes(shop: ShopView, snapshot: Snapshot): string[] {
  const payments = new Map(latestPayments(shop).map((payment) => [payment.id, payment]));
  const shown = new Map(shop.disputes.map((one) => [one.id, one]));
  const known = new Set(shop.claims.map(({ id }) => id));
  const ends = shop.claims.flatMap(({ id, payment, amount_minor, status }) => {
    const found = shown.get(id);
    if (!found) return [`DISPUTE: ${id} of ${payment} is in no list`];
    const wrong = [
      ...(found.status === status ? [] : [`is ${found.status}, was decided as ${status}`]),
      ...(found.payment === payment ? [] : [`is of ${found.payment}, was opened of ${payment}`]),
      ...(amount_minor === null || minor(found.amount) === amount_minor
        ? []
        : [`is about ${found.amount}, was opened for ${amount_minor}`]),
      ...(found.currency === payments.get(payment)?.currency ? [] : [`is in ${found.currency}`]),
    ];
    return wrong.map((what) => `DISPUTE: ${id} ${what}`);
  });
  const strange = shop.disputes.filter(({ id }) => !known.has(id)).map(({ id }) => `DISPUTE: nobody opened ${id}`);
  return [...ends, ...strange, ...[...payments.values()].flatMap((payment) => judgeCharged(shop, payment, snapshot))];
}

/**
 * Whether more went back of a payment than may only because a refund arrived after it had failed: nobody could prevent that.
 * @param most what may go back, in hundredths
 */
export function isRefundedLate(snapshot: Snapshot, { id, amount }: Shown, back: bigint, most = minor(amount)): boolean {
  const late = refundedOf(snapshot, id).filter((one) => one.late);
  return back > most && back - sum(late) <= most;
}

/** Payments of which a refund and a chargeback took more than was collected although each was right when it began. */
export function overreturned(snapshot: Snapshot): string[] {
  return snapshot.shops.flatMap((shop) =>
    latestPayments(shop)
      .filter((payment) => {
        const back = sum(refundedOf(snapshot, payment.id)) + claimedOf(shop, ({ id }) => id === payment.id);
        // Where the payer bore the fee, that was collected, too.
        return back > minor(payment.amount_total) && isRefundedLate(snapshot, payment, back, minor(payment.amount_total));
      })
      .map(({ id }) => id),
  );
}

/** What a payment may have given back: the scheme takes what the payer was charged, with a fee on top; refunds do not. */
function mostOf({ amount, amount_total }: Shown, lost: bigint): bigint {
  return minor(lost > 0n ? amount_total : amount);
}

function judgeCharged(shop: ShopView, payment: Shown, snapshot: Snapshot): string[] {
  const { id, currency, amount } = payment;
  const lost = claimedOf(shop, (one) => one.id === id);
  const refunded = sum(refundedOf(snapshot, id));
  const most = mostOf(payment, lost);
  const lines = snapshot.booked.filter((line) => line.key === null && line.payment === id);
  const own = sum(lines.filter((line) => line.currency === currency));
  const other = lines.filter((line) => line.currency !== currency);
  return [
    ...(own === -lost ? [] : [`CHARGEBACKS: ${-own} of ${id} were booked, lost disputes say ${lost}`]),
    ...other.map((line) => `CHARGEBACKS: ${line.amount_minor} ${line.currency} of ${id} were booked, which is in ${currency}`),
    ...(refunded + lost <= most || isRefundedLate(snapshot, payment, refunded + lost, most)
      ? []
      : [`CHARGEBACKS: ${refunded} of ${id} were refunded and ${lost} charged back, of ${amount}`]),
  ];
}
