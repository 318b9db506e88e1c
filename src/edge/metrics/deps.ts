import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Health } from '../../providers/routing/health.ts';
import type { Meters } from './meters.ts';

/** The dependencies of the metrics scrape. */
export interface MetricsDeps {
  clock: Clock;
  log: Log;
  stores: Stores;
  health: Health;
  /** Null when metrics are disabled. */
  meters: Meters | null;
}
