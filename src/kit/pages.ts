import type { Position } from './paging.ts';
import { type Fragment, part } from './sql.ts';

/**
 * The end of a list's statement, after its conditions: where the page starts, in which order it is read and how much
 * of it. Cursor pages read one row more, which tells whether there is another page.
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
