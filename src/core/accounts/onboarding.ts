import { type Secrets, sameText } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import { idPrefix } from '../../kit/ids.ts';

export interface OnboardingSubject {
  environment: Environment;
  team_id: bigint;
  account_id: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
}

/**
 * Returns the last part of an onboarding URL. It contains the account, its team and the expiry in plain text, and a MAC of
 * 128 bits under the server's secret. Nothing is stored, so a link cannot be revoked: it ends at its expiry.
 */
export function onboardingToken(secrets: Secrets, subject: OnboardingSubject): string {
  const { environment, team_id, account_id, expires_at } = subject;
  const head = environment === 'sandbox' ? 'test_' : '';
  const random = account_id.slice(idPrefix('acct', environment).length);
  const mac = secrets.mac('onboarding', `${environment}|${team_id}|${account_id}|${expires_at}`);
  return `${head}${random}.${team_id}.${expires_at}.${mac}`;
}

/**
 * Verifies and parses an onboarding token.
 * @returns `expired` after its expiry; null for a token that this server did not issue
 */
export function readOnboardingToken(secrets: Secrets, token: string, now: number): OnboardingSubject | 'expired' | null {
  const match = /^(test_)?([0-9a-z]{26})\.(\d{1,19})\.(\d{1,16})\.[\w-]{22}$/.exec(token);
  if (!match) return null;
  const environment: Environment = match[1] ? 'sandbox' : 'live';
  const subject = {
    environment,
    team_id: BigInt(match[3] as string),
    account_id: idPrefix('acct', environment) + match[2],
    expires_at: Number(match[4]),
  };
  if (!sameText(onboardingToken(secrets, subject), token)) return null;
  return subject.expires_at <= now ? 'expired' : subject;
}
