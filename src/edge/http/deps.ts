import type { Config } from '../../platform/config/config.ts';
import type { Stores } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Peers } from '../../platform/nodes/peers.ts';
import type { Limits } from '../../platform/rate-limits/limits.ts';
import type { KeyAlerts } from '../../tenants/outbox/key-alerts.ts';
import type { RequestLog } from '../../tenants/request-log/log.ts';
import type { Tracer } from '../../platform/telemetry/tracer.ts';
import type { Wake } from '../../platform/work/wake.ts';

/** Counts the requests that were answered. */
interface RequestMeter {
  request(method: string, route: string, status: number, ms: number): void;
}

/** The dependencies of the HTTP server. */
export interface HttpDeps {
  config: Config;
  clock: Clock;
  log: Log;
  stores: Stores;
  /** Null when rate limits are disabled. */
  limits: Limits | null;
  /** Null when metrics are disabled. */
  meters: RequestMeter | null;
  /** Null when tracing is disabled. */
  tracer: Tracer | null;
  /** The other running nodes. */
  peers: Pick<Peers, 'reach' | 'isWrong'>;
  /** Null when requests are not stored. */
  requestLog: RequestLog | null;
  keyAlerts: KeyAlerts;
  wake: Wake;
  /** `leaving` changes once: when the process starts to shut down. */
  service: { leaving: boolean };
}
