import type { Position } from './paging.ts';
import { clause, type Fragment, fixed, ONE_PLAN, PLANNED_EACH_TIME } from './sql.ts';

/**
 * Returns the end of a list query, after its conditions: start position, order and limit. Cursor pages read one extra row,
 * which shows whether there is another page.
 */
export function pageTail(position: Position): Fragment {
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

/** Range of ids: `from` inclusive, `to` exclusive; null is open. */
export interface Ids {
  from: string | null;
  to: string | null;
}

export const ALL_IDS: Ids = { from: null, to: null };

/** Returns the conditions of a range of ids, to follow others. */
export function within({ from, to }: Ids): Fragment {
  return clause`${from === null ? clause`` : clause`and id >= ${from}`} ${to === null ? clause`` : clause`and id < ${to}`}`;
}

/**
 * Added to the page or the count of a list. No filter, or a single value (kit/list-filters.ts `equalTo`): an index has the rows
 * in the order of the list, so that one plan serves all values. Otherwise the best plan depends on the values.
 */
export function planOf(filters: readonly Fragment[]): Fragment {
  return isOneRange(filters) ? ONE_PLAN : PLANNED_EACH_TIME;
}

/** Added to the rows that a count counts. In the order of the index, the one plan of all values reads only that index. */
export function countOrder(filters: readonly Fragment[]): Fragment {
  return fixed(isOneRange(filters) ? 'order by id' : '');
}

function isOneRange(filters: readonly Fragment[]): boolean {
  return filters.length === 0 || (filters.length === 1 && filters[0]?.varies === false);
}
