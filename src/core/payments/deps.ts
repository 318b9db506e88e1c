import type { Config } from '../../platform/config/config.ts';
import type { Batches } from '../../platform/db/batches.ts';
import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Secrets } from '../../kit/crypto.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Log } from '../../kit/log.ts';
import type { ChargeTerms } from '../../tenants/teams/charge-terms.ts';
import type { Providers } from '../../providers/provider-accounts/directory.ts';
import type { Health } from '../../providers/routing/health.ts';
import type { Router } from '../../providers/routing/router.ts';
import type { ShardsOf } from '../../platform/work/shards.ts';
import type { Wake } from '../../platform/work/wake.ts';
import type { Applier } from './applier.ts';
import type { PaymentCreator } from './create.ts';
import type { PaymentReader } from './read.ts';
import type { ChargeGuard, PaymentListener } from './listeners.ts';

/** The dependencies of payments. */
export interface PaymentDeps {
  config: Config;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  stores: Stores;
  providers: Providers;
  router: Router;
  health: Health;
  wake: Wake;
  shards: ShardsOf;
  /** One per environment: concurrent payments share a statement. */
  creators: Record<Environment, PaymentCreator>;
  /** One per environment: concurrent reads share a statement. */
  readers: Record<Environment, PaymentReader>;
  terms: ChargeTerms;
  applier: Applier;
  /** Concurrent charges and polls share statements. */
  batches: Batches;
  /** Listeners for payment changes, called in the transaction of the change. */
  listeners: readonly PaymentListener[];
  /** Called before each charge. */
  guardCharge: ChargeGuard;
}
