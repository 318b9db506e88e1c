import type { Call, Reply } from '../../tenants/api/route.ts';
import { invalid } from '../../kit/errors.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import { type Minor, minorFromWire } from '../../kit/money.ts';
import { Cursors, cursorPage, offsetMeta } from '../../kit/paging.ts';
import { listed } from './present.ts';
import type { ListPaymentsQuery } from './schema.ts';
import { countPayments, listPayments, type PaymentFilters } from './list-store.ts';
import { Totals } from '../../kit/totals.ts';
import type { PaymentDeps } from './deps.ts';

/**
 * Longest time for which a creating transaction can stay open, with a margin: ids older than this are all visible. The timeouts
 * of statements (15 s) and of idle transactions (30 s) guarantee it.
 */
export const SETTLED_MS = 60_000;

/** Payments of one customer, or of one payment link. */
export type PaymentsOf = { customer_id: string } | { link_id: string };

/**
 * Returns the handler of GET /payments, GET /customers/{id}/payments and GET /links/{id}/payments: offset or cursor pages,
 * newest first. It throws Problem 422 for a `date_to` before `date_from`.
 */
export function paymentLister(
  deps: Pick<PaymentDeps, 'secrets'>,
): (call: Call<unknown, ListPaymentsQuery>, of?: PaymentsOf) => Promise<Reply> {
  const totals = new Totals<string>();
  return async (call, of) => {
    const { team, store, kind } = call.caller;
    const { db, environment } = store;
    const filters = { ...filtersOf(call.query, kind === 'public'), ...of };
    const scope = ['payments', environment, team.id, ...Object.values(of ?? {})];
    const cursors = new Cursors(deps.secrets, scope.join(':'));
    const position = cursors.position(call.query);
    const floor = idPrefix('trx', environment);
    const rows = await listPayments(db, environment, team.id, filters, position);
    if (position.kind !== 'offset') {
      const { items, meta } = cursorPage(cursors, position, rows, floor);
      return page(
        items.map((row) => listed(environment, row)),
        meta,
      );
    }
    const total = isFiltered(filters)
      ? await countPayments(db, environment, team.id, filters, null, null)
      : await totals.total(`${environment} ${team.id}`, call.at, {
          settled: () => lowestIdAt('trx', environment, call.at - SETTLED_MS),
          count: (from, to) => countPayments(db, environment, team.id, filters, from, to),
        });
    return page(
      rows.map((row) => listed(environment, row)),
      offsetMeta(cursors, position, rows.at(-1)?.id, total, floor),
    );
  };
}

function page(items: object[], meta: object): Reply {
  return { code: 200, message: 'Payments retrieved', body: { items, meta } };
}

function filtersOf(query: ListPaymentsQuery, search_ids_only: boolean): PaymentFilters {
  const { search, status, date_from, date_to } = query;
  if (date_from && date_to && date_to < date_from) throw invalid({ date_to: ['must not be before date_from'] });
  return {
    search,
    status,
    date_from,
    date_to,
    search_ids_only,
    amount_min_minor: bound(query.amount_min, Math.ceil),
    amount_max_minor: bound(query.amount_max, Math.floor),
  };
}

/**
 * Converts a bound to hundredths. It may have more decimals than any amount, or be larger: it is rounded to the nearest
 * hundredth inside the range.
 */
function bound(amount: number | undefined, inwards: (hundredths: number) => number): Minor | undefined {
  if (amount === undefined) return undefined;
  return minorFromWire(amount) ?? BigInt(inwards(Math.min(amount * 100, Number.MAX_SAFE_INTEGER)));
}

function isFiltered(filters: PaymentFilters): boolean {
  const { search, status, date_from, date_to, amount_min_minor, amount_max_minor, customer_id, link_id } = filters;
  return [search, status, date_from, date_to, amount_min_minor, amount_max_minor, customer_id, link_id].some(
    (filter) => filter !== undefined,
  );
}
