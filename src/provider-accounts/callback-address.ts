import type { Config } from '../config.ts';
import { type Secrets, sameText } from '../kit/crypto.ts';

interface AddressDeps {
  config: Pick<Config, 'public_url'>;
  secrets: Secrets;
}

/**
 * Where a provider may announce news of one attempt, transfer or refund. The MAC makes it impossible to guess; short,
 * because some providers cut addresses at 120 characters.
 */
export function callbackUrl({ config, secrets }: AddressDeps, account_id: string, id: string): string {
  return `${config.public_url}/_callbacks/${account_id}/${id}/${mac(secrets, account_id, id)}`;
}

/** Where a provider whose dashboard takes one address for everything announces news of an account. */
export function accountCallbackUrl(public_url: string, account_id: string): string {
  return `${public_url}/_callbacks/${account_id}`;
}

export function isOurs(secrets: Secrets, account_id: string, id: string, presented: string): boolean {
  return sameText(mac(secrets, account_id, id), presented);
}

function mac(secrets: Secrets, account_id: string, id: string): string {
  return secrets.mac('callback', `${account_id}|${id}`);
}
