import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';

/** The dependencies of balances and their history. */
export interface BalanceDeps {
  clock: Clock;
  secrets: Secrets;
}
