import type { Config } from '../../platform/config/config.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Log } from '../../kit/log.ts';
import type { ShardsOf } from '../../platform/work/shards.ts';
import type { Wake } from '../../platform/work/wake.ts';

/** The dependencies of events, endpoints and deliveries. */
export interface WebhookDeps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  wake: Wake;
  shards: ShardsOf;
}
