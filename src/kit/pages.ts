import type { Position } from './paging.ts';
import { type Fragment, part } from './sql.ts';

/**
 * Returns the end of a list query, after its conditions: start position, order and limit. Cursor pages read one extra row,
 * which shows whether there is another page.
 */
export function pageTail(position: Position): Fragment {
  const { per_page } = position;
  switch (position.kind) {
    case 'offset':
      return part`order by id desc limit ${per_page} offset ${(position.page - 1) * per_page}`;
    case 'older':
      return part`${position.than === null ? part`` : part`and id < ${position.than}`} order by id desc limit ${per_page + 1}`;
    case 'newer':
      return part`and ${position.inclusive ? part`id >= ${position.than}` : part`id > ${position.than}`} order by id limit ${per_page + 1}`;
  }
}
