import { type Secrets, sameText } from '../kit/crypto.ts';
import type { Environment } from '../kit/environment.ts';
import { idPrefix } from '../kit/ids.ts';

export interface TokenSubject {
  environment: Environment;
  team_id: bigint;
  payment_id: string;
}

/**
 * The authorization_token of the hosted page: environment, team and payment in the clear, and a MAC of 128 bits under
 * the server's secret. Nothing is stored: a replayed create derives the same token, and a token is found without a search.
 */
export function makeToken(secrets: Secrets, subject: TokenSubject): string {
  const head = subject.environment === 'sandbox' ? 'test_' : '';
  const random = subject.payment_id.slice(idPrefix('trx', subject.environment).length);
  return `${head}${random}.${subject.team_id.toString(36)}.${mac(secrets, subject)}`;
}

/** @returns null for anything that this server did not make */
export function readToken(secrets: Secrets, token: string): TokenSubject | null {
  const match = /^(test_)?([0-9a-z]{26})\.([0-9a-z]{1,13})\.([\w-]{22})$/.exec(token);
  if (!match) return null;
  const environment: Environment = match[1] ? 'sandbox' : 'live';
  const team_id = parseBase36(match[3] as string);
  const subject = { environment, team_id, payment_id: idPrefix('trx', environment) + match[2] };
  return sameText(makeToken(secrets, subject), token) ? subject : null;
}

function mac(secrets: Secrets, { environment, team_id, payment_id }: TokenSubject): string {
  return secrets.mac('hosted-page', `${environment}|${team_id}|${payment_id}`);
}

function parseBase36(text: string): bigint {
  let number = 0n;
  for (const digit of text) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  return number;
}
