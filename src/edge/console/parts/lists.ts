import type { Said } from '../messages/say.ts';
import type { TeamVisit } from '../page.ts';
import { filterFault } from './fault.ts';
import type { CursorMeta } from './pager.ts';

/** A page of a list, or why the API rejected its filters. */
export type Found<Item> = { items: Item[]; meta: CursorMeta } | Said;

/**
 * Reads the page of a list that the address selects. It is not counted, because a count reads all matching rows.
 * @param operation such as `GET /invoices`
 * @param filters names of the operation's filters, as they are in the address
 */
export async function findPage<Item>(visit: TeamVisit, operation: string, filters: readonly string[]): Promise<Found<Item>> {
  const { cursor = '' } = visit.query;
  const chosen = Object.fromEntries(filters.map((name) => [name, visit.query[name]]));
  try {
    const { body } = await visit.api(operation, { query: { ...chosen, cursor } });
    return body as unknown as { items: Item[]; meta: CursorMeta };
  } catch (error) {
    return filterFault(visit, error);
  }
}
