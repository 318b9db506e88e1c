import type { Config } from '../../platform/config/config.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Log } from '../../kit/log.ts';
import type { Providers } from '../../providers/provider-accounts/directory.ts';
import type { Router } from '../../providers/routing/router.ts';
import type { ShardsOf } from '../../platform/work/shards.ts';
import type { Wake } from '../../platform/work/wake.ts';

/** The dependencies of transfers. */
export interface TransferDeps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  providers: Providers;
  router: Router;
  wake: Wake;
  shards: ShardsOf;
}
