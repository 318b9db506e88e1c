import { getAccount } from '../accounts/service.ts';
import type { Call, Reply } from '../../tenants/api/route.ts';
import { CURRENCIES, wireFromMinor } from '../../kit/money.ts';
import { Cursors, INCLUDED, pageOf, type Position } from '../../kit/paging.ts';
import { account } from '../../money/ledger/accounts.ts';
import { countSides, listSides, type Side, type SideFilters, type SidePlace, type Stretch } from '../../money/ledger/history.ts';
import { settledBelow } from '../../money/ledger/days.ts';
import { idsWithin } from '../../money/ledger/moments.ts';
import { type Bucket, BUCKETS, type HistoryItem, type HistoryQuery } from './schema.ts';
import { Totals } from '../../kit/totals.ts';
import type { BalanceDeps } from './deps.ts';

const DAY_MS = 86_400_000;

/** Sorts before every position and is not one itself: the cursor of the page after an empty list. */
const FLOOR = '';

/**
 * Returns the handler of GET /balance/history: every side of every line that changes a balance account (`bucket`), newest
 * first. It throws Problem 404 for an unknown connected account.
 */
export function historyLister(deps: Pick<BalanceDeps, 'secrets'>): (call: Call<unknown, HistoryQuery>) => Promise<Reply> {
  const totals = new Totals<bigint>();
  return async (call) => {
    const {
      team,
      store: { db, environment },
    } = call.caller;
    const filters = await filtersOf(call);
    const cursors = new Cursors(deps.secrets, `history:${environment}:${team.id}`);
    const position = cursors.position(call.query);
    const rows = (await listSides(db, team.id, filters, stretchOf(position))).map((side) => ({ ...side, id: placeText(side) }));
    const count = (ids: SideFilters['ids']) => countSides(db, team.id, { ...filters, ids });
    const { bucket, kind, currency, date_from, date_to } = call.query;
    const { items, meta } = await pageOf(cursors, position, rows, FLOOR, () =>
      date_from || date_to
        ? count(filters.ids)
        : totals.total(JSON.stringify([environment, `${team.id}`, call.sync, bucket, kind, currency]), call.at, {
            count: (from, to) => count({ from, to }),
            settled: async () => ({ mark: await settledBelow(db, team.id), is_final: true }),
          }),
    );
    return { code: 200, message: 'Balance history retrieved', body: { items: items.map(itemOf), meta } };
  };
}

async function filtersOf({ caller, query, sync }: Call<unknown, HistoryQuery>): Promise<SideFilters> {
  const {
    team,
    store: { db, environment },
  } = caller;
  const { bucket, kind, currency, date_from, date_to } = query;
  if (sync !== null) await getAccount(db, environment, { team_id: team.id, id: sync });
  const from = date_from ? new Date(date_from) : null;
  const before = date_to ? new Date(Date.parse(date_to) + DAY_MS) : null;
  return {
    accounts: (bucket ? [bucket] : BUCKETS).map((name) => account(name, sync)),
    currencies: currency ? [currency] : CURRENCIES,
    kind: kind ?? null,
    from,
    before,
    ids: await idsWithin(db, team.id, from, before),
  };
}

function stretchOf(position: Position): Stretch {
  const { per_page } = position;
  const start = { place: null, inclusive: false, offset: 0 };
  switch (position.kind) {
    case 'offset':
      return { ...start, order: 'newest', offset: (position.page - 1) * per_page, limit: per_page };
    case 'older': {
      const inclusive = position.than?.endsWith(INCLUDED) ?? false;
      const place =
        position.than === null ? null : readPlace(inclusive ? position.than.slice(0, -INCLUDED.length) : position.than);
      return { ...start, order: 'newest', place, inclusive, limit: per_page + 1 };
    }
    case 'newer':
      return { order: 'oldest', place: readPlace(position.than), inclusive: position.inclusive, offset: 0, limit: per_page + 1 };
  }
}

function itemOf(row: Side & { id: string }): HistoryItem {
  return {
    id: row.id,
    kind: headOf(row.kind),
    bucket: headOf(row.account) as Bucket,
    amount: wireFromMinor(row.amount_minor),
    currency: row.currency,
    source: row.source_id,
    subject: row.subject_id,
    created_at: row.created_at.toISOString(),
  };
}

/** Returns a name without the suffix after a colon, which is internal to the ledger: the subaccount, or a counter. */
function headOf(name: string): string {
  return name.split(':')[0] as string;
}

function placeText({ source_id, kind, line, side }: SidePlace): string {
  return [source_id, kind, line, side].join('/');
}

function readPlace(text: string): SidePlace {
  const [source_id = '', kind = '', line = '', side] = text.split('/');
  return { source_id, kind, line: Number(line), side: side === 'debit' ? 'debit' : 'credit' };
}
