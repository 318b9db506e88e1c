import type { Store } from '../../platform/db/stores.ts';
import type { PaymentDeps } from './deps.ts';
import { makeToken } from './token.ts';

/** Returns the URL of a payment's hosted page. */
export function hostedPageUrl(
  deps: Pick<PaymentDeps, 'config' | 'secrets'>,
  store: Store,
  team_id: bigint,
  payment_id: string,
): string {
  const token = makeToken(deps.secrets, { environment: store.environment, team_id, payment_id });
  return `${deps.config.public_url}/pay/${token}`;
}
