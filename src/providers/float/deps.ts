import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Providers } from '../provider-accounts/directory.ts';

/** The dependencies of polling floats. */
export interface FloatDeps {
  clock: Clock;
  log: Log;
  stores: Stores;
  providers: Providers;
}
