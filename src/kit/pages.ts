import type { Position } from './paging.ts';
import { clause, type Fragment } from './sql.ts';

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
