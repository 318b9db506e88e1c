import type { Config } from '../../platform/config/config.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { idPrefix } from '../../kit/ids.ts';
import { makePageToken, readPageToken, type TokenKind } from '../../kit/page-token.ts';

/** The payment that a token of its hosted page names. */
export interface TokenSubject {
  environment: Environment;
  team_id: bigint;
  payment_id: string;
}

const SANDBOX = 'test_';

/** Returns the authorization_token of the hosted page; in the sandbox it begins with `test_`. */
export function makeToken(secrets: Secrets, { environment, team_id, payment_id }: TokenSubject): string {
  const head = environment === 'sandbox' ? SANDBOX : '';
  return head + makePageToken(kindOf(secrets, environment), { team_id, id: payment_id });
}

/**
 * Returns the payment that a token names.
 * @returns null for any token that this server did not create
 */
export function readToken(secrets: Secrets, token: string): TokenSubject | null {
  const environment: Environment = token.startsWith(SANDBOX) ? 'sandbox' : 'live';
  const rest = environment === 'sandbox' ? token.slice(SANDBOX.length) : token;
  const subject = readPageToken(kindOf(secrets, environment), rest);
  return subject && { environment, team_id: subject.team_id, payment_id: subject.id };
}

/** Returns the URL of a payment's hosted page. */
export function hostedPageUrl(
  { config, secrets }: { config: Pick<Config, 'public_url'>; secrets: Secrets },
  { environment }: Pick<Store, 'environment'>,
  team_id: bigint,
  payment_id: string,
): string {
  return pageUrlOf(config, makeToken(secrets, { environment, team_id, payment_id }));
}

/** Returns the URL of the hosted page that a token names. */
export function pageUrlOf({ public_url }: Pick<Config, 'public_url'>, token: string): string {
  return `${public_url}/pay/${token}`;
}

function kindOf(secrets: Secrets, environment: Environment): TokenKind {
  const sign: TokenKind['sign'] = ({ team_id, id }) => secrets.mac('hosted-page', `${environment}|${team_id}|${id}`);
  return { prefix: idPrefix('trx', environment), sign };
}
