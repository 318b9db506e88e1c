import type { Config } from '../../platform/config/config.ts';
import type { PoolUse } from '../../platform/db/pool.ts';
import type { Deps } from '../deps.ts';
import { send } from '../../kit/fetch.ts';
import type { Log } from '../../kit/log.ts';
import type { MetricsServer } from '../../edge/metrics/server.ts';
import type { Tracer } from '../../platform/telemetry/tracer.ts';
import { type StatementWatch, tracedStatements } from '../../platform/telemetry/watch.ts';
import type { Worker } from '../../platform/work/worker.ts';
import { ownVersion } from './version.ts';

export interface Tracing {
  tracer: Tracer | null;
  watch?: (database: string) => StatementWatch;
}

/** Opens tracing. The tracing code is loaded only when a collector is configured. */
export async function openTracing({ tracing }: Config, log: Log): Promise<Tracing> {
  if (!tracing) return { tracer: null };
  const [{ Exporter }, { Tracer }] = await Promise.all([
    import('../../platform/telemetry/exporter.ts'),
    import('../../platform/telemetry/tracer.ts'),
  ]);
  const tracer = new Tracer(new Exporter(tracing, send, log), tracing.share);
  return { tracer, watch: (database) => tracedStatements(tracer, database) };
}

/**
 * Starts the metrics endpoint.
 * @returns null when METRICS_PORT is not set
 * @throws ConfigError when the port cannot be used
 */
export async function openMetrics(
  deps: Deps,
  workers: readonly Worker[],
  pools: () => Record<string, PoolUse>,
): Promise<MetricsServer | null> {
  const { metrics } = deps.config;
  if (!metrics) return null;
  const [{ scraper }, { serveMetrics }] = await Promise.all([
    import('../../edge/metrics/scrape.ts'),
    import('../../edge/metrics/server.ts'),
  ]);
  return serveMetrics(metrics, scraper({ deps, workers, pools, version: ownVersion() }));
}
