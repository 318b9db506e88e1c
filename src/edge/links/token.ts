import type { Secrets } from '../../kit/crypto.ts';
import { idPrefix } from '../../kit/ids.ts';
import { makePageToken, readPageToken, type TokenKind } from '../../kit/page-token.ts';
import type { LinkDeps } from './deps.ts';
import type { LinkRef } from './store.ts';

/** Returns the token that ends the URL of a link. It has no environment, because links exist in live only. */
export function linkToken(secrets: Secrets, ref: LinkRef): string {
  return makePageToken(kindOf(secrets), ref);
}

/**
 * Verifies and parses a token.
 * @returns null for a token that this server did not issue
 */
export function readLinkToken(secrets: Secrets, token: string): LinkRef | null {
  return readPageToken(kindOf(secrets), token);
}

function kindOf(secrets: Secrets): TokenKind {
  return { prefix: idPrefix('lnk', 'live'), sign: ({ team_id, id }) => secrets.mac('link-page', `${team_id}|${id}`) };
}

/** Returns the URL that the merchant shares. */
export function linkUrl(deps: Pick<LinkDeps, 'config' | 'secrets'>, ref: LinkRef): string {
  return `${deps.config.public_url}/l/${linkToken(deps.secrets, ref)}`;
}
