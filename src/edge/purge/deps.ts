import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Config } from '../../platform/config/config.ts';

/** The dependencies of removing old rows. */
export interface PurgeDeps {
  config: Config;
  clock: Clock;
  log: Log;
}
