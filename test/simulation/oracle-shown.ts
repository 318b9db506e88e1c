import { isDeepStrictEqual } from 'node:util';
import { erasedIn } from './oracle-events.ts';
import { isLate, latestPayments } from './oracle-money.ts';
import type { Shown, ShopView, Snapshot } from './snapshot.ts';

const LISTS = [
  'payments',
  'refunds',
  'transfers',
  'disputes',
  'links',
  'invoices',
  'customers',
  'beneficiaries',
  'accounts',
  'events',
] as const;
const RETRIEVED = ['payments', 'refunds', 'transfers', 'disputes', 'links', 'invoices'] as const;

/** Lists, single resources and the last events show the same. */
export function judgeShown(shop: ShopView, { mismatches }: Snapshot): string[] {
  const single = new Map(shop.retrieved.map((one) => [one.id, one]));
  return [
    ...LISTS.flatMap((list) => judgeList(list, shop)),
    ...RETRIEVED.flatMap((list) => shop[list].flatMap((listed) => judgeItem(list, listed, single.get(listed.id)))),
    ...judgeLast(shop, new Set(mismatches.map(({ payment }) => payment))),
  ];
}

function judgeList(list: (typeof LISTS)[number], shop: ShopView): string[] {
  const ids = new Set(shop[list].map(({ id }) => id));
  return [
    ...(ids.size === shop[list].length ? [] : [`LIST: /${list} shows something twice`]),
    ...(shop.totals[list] === ids.size ? [] : [`LIST: /${list} has ${ids.size} items and a total of ${shop.totals[list]}`]),
  ];
}

function judgeItem(list: string, listed: Shown, one: Shown | undefined): string[] {
  if (!one) return [`LIST: ${listed.id} is in /${list} and cannot be retrieved`];
  return Object.keys(listed)
    .filter((name) => !isDeepStrictEqual(listed[name], one[name]))
    .map(
      (name) =>
        `LIST: ${name} of ${listed.id} is ${JSON.stringify(listed[name])} in /${list}, and ${JSON.stringify(one[name])} alone`,
    );
}

/** Fields that may change after the last event of a resource. The payment that tries another again has an event, which names it. */
const QUIET = new Set(['settled', 'updated_at', 'retried_by']);
/** A page that is opened, payments under way and refunds change an invoice without an event of it. */
const OF_INVOICES = new Set([...QUIET, 'viewed_at', 'payment', 'amount_refunded']);
/** Paying changes a link without an event of it. */
const OF_LINKS = new Set([...QUIET, 'payments', 'payments_open', 'payments_succeeded', 'amount_collected']);
/** Until it ends, an invoice is viewed and paid in part without an event. */
const OPEN_INVOICE = new Set([...OF_INVOICES, 'status', 'amount_paid', 'amount_due']);

/** Statuses of payments that ended without money. Only the events of a return's refund report late money that went back. */
const UNPAID = new Set(['failed', 'cancelled', 'expired']);

/**
 * The last event of a resource shows what the API shows of it. An attempt whose amount waits for reconciliation becomes `unknown`
 * without an event: nothing about its payment is decided.
 */
function judgeLast(shop: ShopView, waiting: ReadonlySet<string>): string[] {
  const isErased = erasedIn(shop);
  const last = new Map(shop.events.map(({ data }) => [data.id, data]));
  for (const payment of latestPayments(shop)) last.set(payment.id, payment);
  return shop.retrieved.flatMap((shown) => {
    if (isErased(shown)) return [];
    const data = last.get(shown.id);
    if (!data) return [`EVENT LOST: ${shown.id} has no event`];
    const quiet = quietOf(shown);
    const skipped = (name: string) =>
      quiet.has(name) ||
      (name === 'attempts' && (waiting.has(shown.id) || isEndedQuietly(shown, data))) ||
      // A final status is not announced again: the message reports what arrived late.
      (name === 'message' && isLate(shown)) ||
      (name === 'amount_refunded' && UNPAID.has(shown.status));
    return Object.keys(shown)
      .filter((name) => !skipped(name) && !isDeepStrictEqual(shown[name], data[name]))
      .map(
        (name) =>
          `LAST EVENT: ${name} of ${shown.id} is ${JSON.stringify(shown[name])}, its last event says ${JSON.stringify(data[name])}`,
      );
  });
}

/**
 * Whether only attempts that were under way have ended since the last event of a payment that was over: its provider had denied an
 * attempt that it took, which was paid while the next one was under way.
 */
function isEndedQuietly({ attempts }: Shown, told: Shown): boolean {
  if (!told.completed_at || attempts.length !== told.attempts.length) return false;
  return told.attempts.every(
    (before: Shown, i: number) =>
      isDeepStrictEqual(before, attempts[i]) ||
      (UNDER_WAY.has(before.status) && ENDED.has(attempts[i].status) && before.id === attempts[i].id),
  );
}

const UNDER_WAY = new Set(['created', 'open', 'unknown']);
const ENDED = new Set(['failed', 'cancelled', 'expired', 'unavailable']);

function quietOf({ id, status }: Shown): ReadonlySet<string> {
  if (id.startsWith('lnk_')) return OF_LINKS;
  if (!id.startsWith('inv_')) return QUIET;
  return status === 'paid' || status === 'cancelled' ? OF_INVOICES : OPEN_INVOICE;
}
