import type { ListSearcher } from '../../platform/search/list.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { idPrefix } from '../../kit/ids.ts';
import { Cursors, isFiltered, pageOf } from '../../kit/paging.ts';
import { Totals } from '../../kit/totals.ts';
import { ListTotals, SettledMoments } from '../../platform/db/list-totals.ts';
import type { CustomerDeps } from './deps.ts';
import { presentCustomer } from './present.ts';
import type { CustomerRow, ListCustomersQuery } from './schema.ts';
import { countCustomers, countErased, countEver, listCustomers, searchConditions } from './store.ts';

/** Returns the handler of GET /customers: offset or cursor pages, newest first, without erased customers. */
export function customerLister(
  deps: Pick<CustomerDeps, 'secrets'>,
  searcher: ListSearcher<CustomerRow>,
): (call: Call<unknown, ListCustomersQuery>) => Promise<Reply> {
  const ever = new ListTotals('cus');
  const erased = new Totals<Date>();
  const moments = new SettledMoments();
  // An erasure keeps the row, so both totals only grow. Neither is counted anew for each page.
  const totalOf = async (call: Call<unknown, ListCustomersQuery>) => {
    const { team, store } = call.caller;
    const { db, environment } = store;
    const [all, gone] = await Promise.all([
      ever.of(`${team.id}`, call, (ids) => countEver(db, team.id, ids)),
      erased.total(`${environment} ${team.id}`, call.at, {
        settled: async () => {
          const { mark, is_final } = await moments.of(store, call.at);
          return { mark: new Date(mark), is_final };
        },
        count: (from, to) => countErased(db, team.id, from, to),
      }),
    ]);
    return all - gone;
  };
  return async (call) => {
    const { team, store } = call.caller;
    const { db, environment } = store;
    const cursors = new Cursors(deps.secrets, `customers:${environment}:${team.id}`);
    const position = cursors.position(call.query);
    const found = await searcher.search(store, team.id, { query: call.query, position, conditions: searchConditions });
    const rows = found?.rows ?? (await listCustomers(db, team.id, call.query, position));
    const { items, meta } = await pageOf(
      cursors,
      position,
      rows,
      idPrefix('cus', environment),
      async () => found?.total ?? (isFiltered(call.query) ? countCustomers(db, team.id, call.query) : totalOf(call)),
    );
    const shown = items.map((row) => presentCustomer(environment, row));
    return { code: 200, message: 'Customers retrieved', body: { items: shown, meta } };
  };
}
