import type { Call, Reply } from '../../tenants/api/route.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import { checkDays } from '../../kit/list-filters.ts';
import { Cursors, cursorPage, offsetMeta, type Position } from '../../kit/paging.ts';
import { listed } from './present.ts';
import type { ListPaymentsQuery } from './schema.ts';
import { PaymentSearcher } from './search.ts';
import { countPayments, filterConditions, listPayments, type PaymentsOf } from './list-store.ts';
import { Totals } from '../../kit/totals.ts';
import type { PaymentDeps } from './deps.ts';

/**
 * Longest time for which a creating transaction can stay open, with a margin: ids older than this are all visible. The timeouts
 * of statements (15 s) and of idle transactions (30 s) guarantee it.
 */
export const SETTLED_MS = 60_000;

/**
 * Returns the handler of GET /payments, GET /customers/{id}/payments and GET /links/{id}/payments: offset or cursor pages,
 * newest first. It throws Problem 422 for a `date_to` before `date_from`.
 */
export function paymentLister(
  deps: Pick<PaymentDeps, 'secrets'>,
): (call: Call<unknown, ListPaymentsQuery>, of?: PaymentsOf) => Promise<Reply> {
  const totals = new Totals<string>();
  const searcher = new PaymentSearcher();
  return async (call, of) => {
    const { team, store, kind } = call.caller;
    const { db, environment } = store;
    checkDays(call.query);
    const filters = filterConditions(environment, call.query, kind === 'public' ? 'anyone' : 'secret_key', of);
    const scope = ['payments', environment, team.id, ...Object.values(of ?? {})];
    const cursors = new Cursors(deps.secrets, scope.join(':'));
    const position = cursors.position(call.query);
    const floor = idPrefix('trx', environment);
    const search = { query: call.query, by: kind === 'public' ? 'anyone' : 'secret_key', of, filters, position } as const;
    const found = call.query.search ? await searcher.search(store, team.id, search) : null;
    const rows = found?.rows ?? (await listPayments(db, team.id, filters, position));
    if (position.kind !== 'offset') {
      const { items, meta } = cursorPage(cursors, position, rows, floor);
      return page(
        items.map((row) => listed(environment, row)),
        meta,
      );
    }
    const total =
      found?.total ??
      endOf(position, rows.length) ??
      (filters.length > 0
        ? await countPayments(db, team.id, filters, null, null)
        : await totals.total(`${environment} ${team.id}`, call.at, {
            settled: () => lowestIdAt('trx', environment, call.at - SETTLED_MS),
            count: (from, to) => countPayments(db, team.id, filters, from, to),
          }));
    return page(
      rows.map((row) => listed(environment, row)),
      offsetMeta(cursors, position, rows.at(-1)?.id, total, floor),
    );
  };
}

/** Returns the total when the page shows it: it is the last one, and not beyond the end. */
function endOf({ page, per_page }: Extract<Position, { kind: 'offset' }>, rows: number): number | undefined {
  return rows < per_page && (rows > 0 || page === 1) ? (page - 1) * per_page + rows : undefined;
}

function page(items: object[], meta: object): Reply {
  return { code: 200, message: 'Payments retrieved', body: { items, meta } };
}
