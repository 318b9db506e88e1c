import { type Secrets, sameText } from '../../kit/crypto.ts';
import { isId, newId } from '../../kit/ids.ts';
import type { Queryable } from '../../kit/sql.ts';
import { insertLink, type LinkKind, type NewLink } from './link-store.ts';

/** Validity of a link of each kind, in milliseconds. */
export const LINK_MS: Readonly<Record<LinkKind, number>> = {
  invitation: 7 * 86_400_000,
  reset: 30 * 60_000,
  sign_in: 10 * 60_000,
};

/**
 * Makes a link.
 * @param at milliseconds since the epoch, for its id
 * @returns its id
 */
export async function makeLink(db: Queryable, link: Omit<NewLink, 'id'>, at: number): Promise<string> {
  const id = newId('ulk', 'live', at);
  await insertLink(db, { id, ...link }, LINK_MS[link.kind]);
  return id;
}

/** Returns the path of a link below the address of the console. It contains a MAC, so it cannot be made from the database alone. */
export function linkPath(secrets: Secrets, id: string): string {
  return `/console/link/${id}.${secrets.mac('console-link', id)}`;
}

/** Returns the id in the token of a link; null when it was not made by this installation. */
export function readLinkToken(secrets: Secrets, token: string): string | null {
  const [id = '', mac = '', more] = token.split('.', 3);
  return more === undefined && isId('ulk', 'live', id) && sameText(mac, secrets.mac('console-link', id)) ? id : null;
}
