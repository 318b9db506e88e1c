import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Health } from '../../providers/routing/health.ts';
import type { Peers } from '../../platform/nodes/peers.ts';
import type { Meters } from './meters.ts';

/** The dependencies of the metrics scrape. */
export interface MetricsDeps {
  clock: Clock;
  log: Log;
  stores: Stores;
  health: Health;
  /** The other running nodes. */
  peers: Pick<Peers, 'reach'>;
  /** Null when metrics are disabled. */
  meters: Meters | null;
}
