import type { Position } from './paging.ts';
import { allOf, clause, type Fragment, fixed, ONE_PLAN, PLANNED_EACH_TIME } from './sql.ts';

/** Rows of a list, newest first by id: those of a team, or of one of its resources, that pass the filters. */
export interface ListedRows {
  /** Conditions of every page. One index on them has the rows in the order of ids. */
  owner: Fragment;
  /** Conditions that a request adds (kit/list-filters.ts). */
  filters: readonly Fragment[];
}

/** Returns the rows of a team's list. */
export function rowsOf(team_id: bigint, filters: readonly Fragment[] = [], ...owner: Fragment[]): ListedRows {
  return { owner: allOf([clause`team_id = ${team_id}`, ...owner]), filters };
}

/**
 * Returns what follows `where` in the statement of a page. Cursor pages read one extra row, which shows whether there is another page.
 * @param ids selects the ids of such rows, so that a later numbered page reads the rows that it skips from an index only. The page is
 *   then read as a range up to its first id. Lookups of each id could use several indexes: a plan made for an empty table may use any of
 *   them, and only one has the rows in order.
 */
export function rowsOfPage(rows: ListedRows, position: Position, ids?: (rows: Fragment) => Fragment): Fragment {
  const conditions = conditionsOf(rows);
  if (!ids || position.kind !== 'offset' || position.page === 1) {
    return clause`${conditions} ${pageTail(position)}${planOf(rows)}`;
  }
  const { page, per_page } = position;
  const first = ids(clause`${conditions} order by id desc limit 1 offset ${(page - 1) * per_page}`);
  return clause`${conditions} and id <= (${first}) ${pageTail({ kind: 'offset', page: 1, per_page })}${planOf(rows)}`;
}

/** Range of ids: `from` inclusive, `to` exclusive; null is open. */
export interface Ids {
  from: string | null;
  to: string | null;
}

export const ALL_IDS: Ids = { from: null, to: null };

/** Returns what follows `where` when rows are selected to be counted. The order by id makes the single plan read only the index. */
export function rowsToCount(rows: ListedRows, { from, to }: Ids = ALL_IDS): Fragment {
  const since = from === null ? clause`` : clause`and id >= ${from}`;
  const before = to === null ? clause`` : clause`and id < ${to}`;
  return clause`${conditionsOf(rows)} ${since} ${before} ${fixed(isOneRange(rows) ? 'order by id' : '')}${planOf(rows)}`;
}

function conditionsOf({ owner, filters }: ListedRows): Fragment {
  return allOf([owner, ...filters]);
}

/** Returns the end of a page's statement: start position, order and limit. */
function pageTail(position: Position): Fragment {
  const { per_page } = position;
  switch (position.kind) {
    case 'offset':
      return clause`order by id desc limit ${per_page} offset ${(position.page - 1) * per_page}`;
    case 'older':
      return clause`${position.than === null ? clause`` : clause`and id < ${position.than}`} order by id desc limit ${per_page + 1}`;
    case 'newer':
      return clause`and ${position.inclusive ? clause`id >= ${position.than}` : clause`id > ${position.than}`} order by id limit ${per_page + 1}`;
  }
}

/**
 * Returns how the statement is planned. Without a filter, or with a single value (kit/list-filters.ts `equalTo`), an index has the rows
 * in the order of the list, so one plan serves all values. Otherwise the best plan depends on the values.
 */
function planOf(rows: ListedRows): Fragment {
  return isOneRange(rows) ? ONE_PLAN : PLANNED_EACH_TIME;
}

function isOneRange({ filters }: ListedRows): boolean {
  return filters.length === 0 || (filters.length === 1 && filters[0]?.varies === false);
}
