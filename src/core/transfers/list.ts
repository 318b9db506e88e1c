import type { Call, Reply } from '../../tenants/api/route.ts';
import { invalid } from '../../kit/errors.ts';
import { idPrefix } from '../../kit/ids.ts';
import { type Minor, minorFromWire } from '../../kit/money.ts';
import { Cursors, cursorPage, offsetMeta } from '../../kit/paging.ts';
import type { TransferDeps } from './deps.ts';
import { presentTransfer } from './present.ts';
import type { ListTransfersQuery } from './schema.ts';
import { countTransfers, listTransfers, type TransferFilters } from './store.ts';

/**
 * Handles GET /transfers: offset or cursor pages, newest first.
 * @throws Problem 422 for a `date_to` before `date_from`
 */
export async function listed(deps: Pick<TransferDeps, 'secrets'>, call: Call<unknown, ListTransfersQuery>): Promise<Reply> {
  const {
    team,
    store: { db, environment },
  } = call.caller;
  const filters = filtersOf(call.query);
  const cursors = new Cursors(deps.secrets, `transfers:${environment}:${team.id}`);
  const position = cursors.position(call.query);
  const floor = idPrefix('po', environment);
  const rows = await listTransfers(db, environment, team.id, filters, position);
  const { items, meta } =
    position.kind === 'offset'
      ? {
          items: rows,
          meta: offsetMeta(cursors, position, rows.at(-1)?.id, await countTransfers(db, environment, team.id, filters), floor),
        }
      : cursorPage(cursors, position, rows, floor);
  return {
    code: 200,
    message: 'Transfers retrieved',
    body: { items: items.map((row) => presentTransfer(environment, row)), meta },
  };
}

function filtersOf(query: ListTransfersQuery): TransferFilters {
  const { search, status, beneficiary, channel, date_from, date_to } = query;
  if (date_from && date_to && date_to < date_from) throw invalid({ date_to: ['must not be before date_from'] });
  return {
    search,
    status,
    beneficiary,
    channel,
    date_from,
    date_to,
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
