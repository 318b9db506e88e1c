import type { Config } from '../../platform/config/config.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';

/** The dependencies of accounts. */
export interface AccountDeps {
  config: Config;
  clock: Clock;
  secrets: Secrets;
}
