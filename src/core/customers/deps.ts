import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Log } from '../../kit/log.ts';

/** The dependencies of customers and their payment methods. */
export interface CustomerDeps {
  clock: Clock;
  log: Log;
  secrets: Secrets;
}
