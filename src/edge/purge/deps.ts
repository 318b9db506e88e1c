import type { Config } from '../../platform/config/config.ts';
import type { Clock } from '../../kit/clock.ts';

/** The dependencies of removing old rows. */
export interface PurgeDeps {
  config: Config;
  clock: Clock;
}
