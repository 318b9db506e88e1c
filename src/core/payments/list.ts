import type { Call, Reply } from '../../tenants/api/route.ts';
import type { Environment } from '../../kit/environment.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import { Cursors, pageOf } from '../../kit/paging.ts';
import { listed } from './present.ts';
import type { ListPaymentsQuery } from './schema.ts';
import { GROUPS, paymentSearcher } from './search.ts';
import { countPayments, filterConditions, listPayments, type PaymentsOf } from './list-store.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { PaymentDeps } from './deps.ts';

/** Returns the cursor of the page of GET /payments with the payments that were created before a moment, newest first. */
export function cursorBefore(
  { secrets }: Pick<PaymentDeps, 'secrets'>,
  environment: Environment,
  team_id: bigint,
  before: number,
): string {
  return new Cursors(secrets, scopeOf(environment, team_id)).seal('o', lowestIdAt('trx', environment, before));
}

/** Returns the scope to which the cursors and totals of a list of payments belong. */
function scopeOf(environment: Environment, team_id: bigint, of?: PaymentsOf): string {
  return ['payments', environment, team_id, ...Object.values(of ?? {})].join(':');
}

/**
 * Returns the handler of GET /payments, GET /customers/{id}/payments and GET /links/{id}/payments: offset or cursor pages,
 * newest first.
 */
export function paymentLister(
  deps: Pick<PaymentDeps, 'secrets'>,
): (call: Call<unknown, ListPaymentsQuery>, of?: PaymentsOf) => Promise<Reply> {
  const totals = new ListTotals('trx');
  const searcher = paymentSearcher();
  return async (call, of) => {
    const { team, store, kind } = call.caller;
    const { db, environment } = store;
    const by = kind === 'public' ? 'anyone' : 'secret_key';
    const filters = filterConditions(environment, call.query, by, of);
    const scope = scopeOf(environment, team.id, of);
    const cursors = new Cursors(deps.secrets, scope);
    const position = cursors.position(call.query);
    const floor = idPrefix('trx', environment);
    const found = await searcher.search(store, team.id, {
      ...{ query: call.query, position, groups: GROUPS[by] },
      conditions: (query) => filterConditions(environment, query, by, of),
    });
    const rows = found?.rows ?? (await listPayments(db, team.id, filters, position));
    const count = () => totals.of(scope, call, (ids) => countPayments(db, team.id, filters, ids));
    const { items, meta } = await pageOf(cursors, position, rows, floor, async () => found?.total ?? count());
    const shown = items.map((row) => listed(environment, row));
    return { code: 200, message: 'Payments retrieved', body: { items: shown, meta } };
  };
}
