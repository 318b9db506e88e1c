import { isRefundedLate } from './oracle-disputes.ts';
import { feeOf, isLate, latestPayments, minor, PAID, sum, waitingPayouts } from './oracle-money.ts';
import type { Moved, Shown, ShopView, Snapshot } from './snapshot.ts';

/** Every captured franc of a payment is kept by the merchant, refunded, or returned to the payer: once, or the platform bears the rest. */
export function judgePayments(shop: ShopView, snapshot: Snapshot): string[] {
  const owners = new Map(snapshot.owners.map((owner) => [owner.id, owner]));
  const by = Map.groupBy(snapshot.moved, ({ subject }) => owners.get(subject)?.payment);
  const waiting = new Set(snapshot.mismatches.map(({ payment }) => payment));
  const paidAt = new Map(
    shop.events.filter(({ event }) => event === 'payment.succeeded').map(({ data, created }) => [data.id, Date.parse(created)]),
  );
  const now = new Map(shop.retrieved.map((one) => [one.id, one]));
  return latestPayments(shop).flatMap((payment) => {
    const moved = by.get(payment.id) ?? [];
    const kindOf = ({ flow, subject }: Moved) => (flow === 'collect' ? 'collect' : owners.get(subject)?.kind);
    const ofKind = (kind: string) => moved.filter((one) => kindOf(one) === kind);
    const of = (kind: string) => sum(ofKind(kind));
    const [collected, refunded, returned] = [of('collect'), of('merchant'), of('giveback')];
    const kept = sum(snapshot.kept.filter((one) => one.payment === payment.id));
    const absorbed = sum(snapshot.absorbed.filter((one) => one.payment === payment.id));
    const paid = PAID.has(payment.status) ? minor(payment.amount_total) : 0n;
    const named = `${payment.id} (${payment.reference}, ${payment.status})`;
    const found: string[] = [];
    const back = minor((PAID.has(payment.status) ? payment : now.get(payment.id))?.amount_refunded);
    // What went back twice for one purpose counts once.
    const purposes = new Map(ofKind('giveback').map((one) => [owners.get(one.subject)?.purpose, one]));
    const right = PAID.has(payment.status) ? back === refunded : countedReturns(shop, payment, [...purposes.values()]).has(back);
    if (!right && !waiting.has(payment.id))
      found.push(`REFUNDED: ${named} shows ${back}, the providers returned ${refunded} and ${returned}`);
    if (refunded > minor(payment.amount) && !isRefundedLate(snapshot, payment, refunded))
      found.push(`REFUNDED TOO MUCH: ${named}: ${refunded}`);
    if (!waiting.has(payment.id) && collected + absorbed - returned - kept !== paid)
      found.push(
        `CHARGED: ${named} collected ${collected}, returned ${returned}, keeps ${kept} besides, ${absorbed} are borne, and should have ${paid}`,
      );
    if (absorbed > 0n && !ofKind('giveback').some(({ late }) => late))
      found.push(`BORNE: ${named}: the platform bears ${absorbed}, although nothing was returned late`);
    return [
      ...found,
      ...judgeStatus(payment, named),
      ...judgeFee(payment, named),
      ...judgeRetention(payment, paidAt.get(payment.id) ?? 0, now.get(payment.id), snapshot),
      ...judgePayer(shop, payment, moved),
    ];
  });
}

/**
 * Returns what a payment that ended unpaid may show as refunded. Captures that it counted and that were returned are contained:
 * its tranches and money that came after its end. Money of an earlier attempt that came before its end is not.
 */
function countedReturns({ events }: ShopView, { id }: Shown, returns: readonly Moved[]): ReadonlySet<bigint> {
  const types = events.filter(({ data }) => data.id === id).map(({ event }) => event as string);
  const end = types.findIndex((type) => UNPAID.has(type));
  if (!types.slice(0, end).includes('payment.late_success')) return new Set([sum(returns)]);
  const sums = new Set([0n]);
  for (const { amount_minor } of returns) for (const before of [...sums]) sums.add(before + amount_minor);
  return sums;
}

const UNPAID = new Set(['payment.failed', 'payment.cancelled', 'payment.expired']);

function judgeStatus(payment: Shown, named: string): string[] {
  const left = minor(payment.amount) - minor(payment.amount_refunded);
  const expected = left <= 0n ? 'refunded' : left < minor(payment.amount) ? 'partially_refunded' : 'succeeded';
  return PAID.has(payment.status) && payment.status !== expected ? [`STATUS: ${named} should be ${expected}`] : [];
}

const RATES: Record<string, bigint> = { bank: 150n, card: 350n };

/** Mobile money 2 %, bank 1.5 %, card 3.5 %, half-up to the decimals of the currency; whoever bears it. */
function judgeFee(payment: Shown, named: string): string[] {
  // A fee is fixed by the first charge that a provider took.
  if (!PAID.has(payment.status)) return [];
  const fee = feeOf(payment.amount, payment.currency, RATES[payment.channel.split('.')[1]] ?? 200n);
  const amount_total = minor(payment.amount) + (payment.bearer === 'customer' ? fee : 0n);
  return [
    ...(minor(payment.fee) === fee ? [] : [`FEE: of ${named} is ${payment.fee}, should be ${fee}`]),
    ...(minor(payment.amount_total) === amount_total
      ? []
      : [`TOTAL: of ${named} is ${payment.amount_total}, should be ${amount_total}`]),
  ];
}

/** Money is retained as long as the settings say, not shorter, and is available in the end. */
function judgeRetention(payment: Shown, paid_ms: number, now: Shown | undefined, { retention_ms, releases }: Snapshot): string[] {
  if (!PAID.has(payment.status)) return [];
  const kind: string = payment.channel.split('.')[1];
  const wanted_ms = kind === 'bank' || kind === 'card' ? retention_ms[kind] : retention_ms.mobile_money;
  const released_ms = releases.find((one) => one.payment === payment.id)?.released_ms ?? null;
  const waited_ms = released_ms === null ? 0 : released_ms - paid_ms;
  return [
    ...(waited_ms >= wanted_ms ? [] : [`RETENTION: of ${payment.id} was ${waited_ms} ms, should be ${wanted_ms}`]),
    ...(now && now.settled !== true ? [`SETTLED: ${payment.id} shows that it never is`] : []),
  ];
}

/** Only the number that the payer gave is charged, also when the payer tries a failed payment again. */
function judgePayer(shop: ShopView, payment: Shown, moved: readonly Moved[]): string[] {
  if (moved.length === 0) return [];
  const before = new Map(shop.retrieved.flatMap(({ id, retry_of }) => (retry_of ? [[id, retry_of]] : [])));
  let first: string = payment.id;
  while (before.has(first)) first = before.get(first);
  const wish = shop.intents.find(({ kind, ids }) => kind === 'payment' && ids.has(first));
  if (!wish?.number) return [];
  const others = moved.filter(({ flow, number }) => flow === 'collect' && number !== wish.number);
  return others.map(({ subject, number }) => `WHOM: ${subject} charged ${number}, the payer is ${wish.number}`);
}

/** A transfer that succeeded moved its amount once, to its recipient; any other moved nothing, or says that it reached the recipient late. */
export function judgeTransfers(shop: ShopView, snapshot: Snapshot): string[] {
  const { moved } = snapshot;
  const waiting = waitingPayouts(snapshot);
  const by = Map.groupBy(moved, ({ subject }) => subject);
  const sent = shop.transfers.flatMap((transfer) => {
    const { id, status, amount, currency } = transfer;
    const found = by.get(id) ?? [];
    const expected = status === 'succeeded' || isLate(transfer) ? minor(amount) : 0n;
    const wish = shop.intents.find(({ kind, ids, tag }) => kind === 'transfer' && (ids.has(id) || tag === transfer.reference));
    const fee = feeOf(amount, currency, 100n);
    // Only what its provider had ended before may be shown as ended.
    const isRight = found.every((one) => one.currency === currency && (status === 'succeeded' || one.late));
    const right = waiting.has(id) ? status === 'processing' : sum(found) === expected && isRight;
    return [
      ...(right && found.length <= 1
        ? []
        : [`PAYOUT: ${id} is ${status}, the provider moved ${sum(found)} in ${found.length} payouts`]),
      ...found
        .filter(({ number }) => wish?.number && number !== wish.number)
        .map(({ number }) => `WHOM: ${id} went to ${number}, was for ${wish?.number}`),
      ...(status !== 'succeeded' || minor(transfer.fee) === fee ? [] : [`FEE: of ${id} is ${transfer.fee}, should be ${fee}`]),
      ...judgeReason(transfer, snapshot),
    ];
  });
  const back = shop.refunds.flatMap((refund) => {
    const { id, status, amount } = refund;
    const parts = by.get(id) ?? [];
    const found = sum(parts);
    const isPart = isLate(refund)
      ? found > 0n && found <= minor(amount) && parts.some(({ late }) => late)
      : found < minor(amount) && !parts.some(({ late }) => late);
    const right = status === 'succeeded' ? found === minor(amount) : isPart;
    return right ? [] : [`REFUND: ${id} of ${amount} is ${status}, the providers moved ${found}`];
  });
  return [...sent, ...back];
}

/** A payout that failed says why: as its provider did, or that its money was not there. What a person ended has no reason. */
function judgeReason({ id, status, reason }: Shown, { payouts, endedByHand }: Snapshot): string[] {
  const own = payouts.filter((one) => one.subject === id && one.end === 'failed').map((one) => one.reason);
  const said = endedByHand.has(id) ? [null, ...own] : own;
  const reasons = status !== 'failed' ? [null] : said.length > 0 ? said : ['insufficient_balance'];
  return reasons.includes(reason ?? null)
    ? []
    : [`REASON: ${id} is ${status} because of ${reason}, should be ${reasons.join(' or ')}`];
}
