import type { Config } from '../../platform/config/config.ts';
import type { Secrets } from '../../kit/crypto.ts';
import { idPrefix } from '../../kit/ids.ts';
import { makePageToken, type Owned, readPageToken, type TokenKind } from '../../kit/page-token.ts';

export type InvoiceRef = Owned;

/** Returns the token that ends the URL of an invoice's page. */
export function makeInvoiceToken(secrets: Secrets, ref: InvoiceRef): string {
  return makePageToken(kindOf(secrets), ref);
}

/**
 * Verifies and parses a token.
 * @returns null for a token that this server did not issue
 */
export function readInvoiceToken(secrets: Secrets, token: string): InvoiceRef | null {
  return readPageToken(kindOf(secrets), token);
}

function kindOf(secrets: Secrets): TokenKind {
  return { prefix: idPrefix('inv', 'live'), sign: ({ team_id, id }) => secrets.mac('invoice-page', `${team_id}|${id}`) };
}

/** Returns the URL of the invoice's page. */
export function invoiceUrl(
  { config, secrets }: { config: Pick<Config, 'public_url'>; secrets: Secrets },
  ref: InvoiceRef,
): string {
  return `${config.public_url}/invoice/${makeInvoiceToken(secrets, ref)}`;
}
