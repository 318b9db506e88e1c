import type { Config } from '../config.ts';
import type { Clock } from '../kit/clock.ts';

/** The dependencies of removing old rows. */
export interface PurgeDeps {
  config: Config;
  clock: Clock;
}
