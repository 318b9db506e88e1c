import type { Call, Reply } from '../../tenants/api/route.ts';
import { idPrefix } from '../../kit/ids.ts';
import { checkDays } from '../../kit/list-filters.ts';
import { Cursors, cursorPage, offsetMeta } from '../../kit/paging.ts';
import type { TransferDeps } from './deps.ts';
import { presentTransfer } from './present.ts';
import type { ListTransfersQuery } from './schema.ts';
import { countTransfers, listTransfers } from './store.ts';

/**
 * Handles GET /transfers: offset or cursor pages, newest first.
 * @throws Problem 422 for a `date_to` before `date_from`
 */
export async function listed(deps: Pick<TransferDeps, 'secrets'>, call: Call<unknown, ListTransfersQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  checkDays(call.query);
  const cursors = new Cursors(deps.secrets, `transfers:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const floor = idPrefix('po', environment);
  const rows = await listTransfers(db, environment, team.id, call.query, position);
  const { items, meta } =
    position.kind === 'offset'
      ? {
          items: rows,
          meta: offsetMeta(cursors, position, rows.at(-1)?.id, await countTransfers(db, environment, team.id, call.query), floor),
        }
      : cursorPage(cursors, position, rows, floor);
  return {
    code: 200,
    message: 'Transfers retrieved',
    body: { items: items.map((row) => presentTransfer(environment, row)), meta },
  };
}
