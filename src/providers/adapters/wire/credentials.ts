import { type TString, Type } from 'typebox';
import type { Connector } from '../connector.ts';

// `secret` is shared by every adapter but pawapay, whose credentials have other forms; `withoutTestMode` by cinetpay, orange-money/cameroon
// and every adapter that `npm run new-provider` creates.

/**
 * Returns the schema of one credential. It is sent in a header, so only visible ASCII is accepted, 200 characters at
 * most.
 */
export function secret(description: string): TString {
  return Type.String({ description, pattern: '^[\\x21-\\x7e]{1,200}$' });
}

/**
 * Returns the check of a provider that has no test mode: its own address moves real money, so no account in the sandbox may use it.
 * Another address is not checked: it has its own modes.
 */
export function withoutTestMode(provider: string): NonNullable<Connector['modeFault']> {
  return ({ environment, credentials }) =>
    environment === 'live' || credentials.base_url !== undefined
      ? null
      : `${provider} has no test mode, but the account is in sandbox`;
}
