import type { ListSearcher } from '../../platform/search/list.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import type { Environment } from '../../kit/environment.ts';
import { idPrefix, lowestIdAt } from '../../kit/ids.ts';
import { Cursors, pageOf } from '../../kit/paging.ts';
import { ListTotals } from '../../platform/db/list-totals.ts';
import type { TransferDeps } from './deps.ts';
import { presentTransfer } from './present.ts';
import type { ListTransfersQuery, TransferRow } from './schema.ts';
import { countTransfers, filtersOf, listTransfers } from './store.ts';

/** Returns the cursor of the page of transfers that were created before a moment, newest first. */
export function transfersBefore(
  { secrets }: Pick<TransferDeps, 'secrets'>,
  environment: Environment,
  team_id: bigint,
  before: number,
): string {
  return new Cursors(secrets, scopeOf(environment, team_id)).seal('o', lowestIdAt('po', environment, before));
}

/** Returns the scope to which the cursors of a list of transfers belong. */
function scopeOf(environment: Environment, team_id: bigint): string {
  return `transfers:${environment}:${team_id}`;
}

/**
 * Returns the handler of GET /transfers: offset or cursor pages, newest first.
 */
export function transferLister(
  deps: Pick<TransferDeps, 'secrets'>,
  searcher: ListSearcher<TransferRow>,
): (call: Call<unknown, ListTransfersQuery>) => Promise<Reply> {
  const totals = new ListTotals('po');
  return async (call) => {
    const { team, store } = call.caller;
    const { db, environment } = store;
    const cursors = new Cursors(deps.secrets, scopeOf(environment, team.id));
    const position = cursors.position(call.query);
    const found = await searcher.search(store, team.id, {
      ...{ query: call.query, position },
      conditions: (query) => filtersOf(environment, query),
    });
    const rows = found?.rows ?? (await listTransfers(db, environment, team.id, call.query, position));
    const { items, meta } = await pageOf(
      cursors,
      position,
      rows,
      idPrefix('po', environment),
      async () =>
        found?.total ?? totals.of(`${team.id}`, call, (ids) => countTransfers(db, environment, team.id, call.query, ids)),
    );
    const shown = items.map((row) => presentTransfer(environment, row));
    return { code: 200, message: 'Transfers retrieved', body: { items: shown, meta } };
  };
}
