import type { Config } from '../../platform/config/config.ts';
import { type Secrets, sameText } from '../../kit/crypto.ts';

interface AddressDeps {
  config: Pick<Config, 'public_url'>;
  secrets: Secrets;
}

/**
 * Returns the callback address of one attempt, payout or refund. The MAC makes it unguessable. The address is short,
 * because some providers truncate addresses at 120 characters.
 */
export function callbackUrl({ config, secrets }: AddressDeps, account_id: string, id: string): string {
  return `${config.public_url}/_callbacks/${account_id}/${id}/${mac(secrets, account_id, id)}`;
}

/** Returns the callback address of an account, for providers whose dashboard accepts only one address for all callbacks. */
export function accountCallbackUrl(public_url: string, account_id: string): string {
  return `${public_url}/_callbacks/${account_id}`;
}

/** Returns whether the MAC in a callback address is valid. */
export function isOurs(secrets: Secrets, account_id: string, id: string, presented: string): boolean {
  return sameText(mac(secrets, account_id, id), presented);
}

function mac(secrets: Secrets, account_id: string, id: string): string {
  return secrets.mac('callback', `${account_id}|${id}`);
}
