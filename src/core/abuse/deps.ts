import type { Config } from '../../platform/config/config.ts';
import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Log } from '../../kit/log.ts';

/** The dependencies of the abuse checks. */
export interface AbuseDeps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  stores: Stores;
}
