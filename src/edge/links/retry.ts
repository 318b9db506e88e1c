import { must } from '../../kit/errors.ts';
import type { Queryable, Tx } from '../../kit/sql.ts';
import { linkStanding } from './pay.ts';
import { countMade, findLink, type LinkRef, lockLink } from './store.ts';
import { noUse } from './uses.ts';

/** Returns whether the page of a link's failed payment offers another try. It also does while the link is temporarily full. */
export async function linkTakesRetry(db: Queryable, ref: LinkRef, at: number): Promise<boolean> {
  const standing = linkStanding(must(await findLink(db, ref), 'links are never deleted'), at);
  return standing === 'open' || standing === 'full';
}

/**
 * Counts the payment that follows a failed one, under the link's lock. It takes no use: its charge does.
 * @returns false when the link accepts no payments any more
 * @throws Problem 409 `link_full`, `link_used`
 */
export async function countLinkRetry(tx: Tx, ref: LinkRef, at: number): Promise<boolean> {
  const standing = linkStanding(must(await lockLink(tx, ref), 'links are never deleted'), at);
  if (standing === 'full' || standing === 'used') throw noUse(standing);
  if (standing !== 'open') return false;
  await countMade(tx, ref);
  return true;
}
