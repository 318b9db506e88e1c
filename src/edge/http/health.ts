import type { FastifyInstance } from 'fastify';
import { envelope } from '../../kit/envelope.ts';
import { databaseChecks } from '../../platform/nodes/database-checks.ts';
import type { Worker } from '../../platform/work/worker.ts';
import type { HttpDeps } from './deps.ts';
import type { Pages } from './server.ts';

/** A worker without a completed round for this long is stuck. */
const WORKER_STUCK_MS = 60_000;

/**
 * `/health/live`: the process responds. `/health/ready`: 503 for a fault of this node (a database that only others reach, a
 * clock that only this node has, a stuck worker, shutdown); 200 with `degraded` for a fault that affects all nodes
 * (docs/decisions/0072-connections.md).
 */
export function healthPages(deps: HttpDeps, workers: readonly Worker[]): Pages {
  return (app: FastifyInstance) => {
    app.get('/health/live', async () => envelope(200, 'alive', {}));
    app.get('/health/ready', async (_, reply) => {
      const databases = await databaseChecks(deps.stores, deps.peers);
      const own = { workers: workersCheck(deps, workers), ...wrongClock(deps), ...leaving(deps) };
      const states = Object.values(databases);
      const serves = !states.includes('cut off') && Object.values(own).every((state) => state === 'ok');
      const code = serves ? 200 : 503;
      const message = serves ? (states.every((state) => state === 'ok') ? 'ready' : 'degraded') : 'not ready';
      // Details are not checks: without Redis the node counts locally, and taking nodes out of rotation for that would leave
      // none.
      const details = { rate_limits: deps.limits?.where ?? 'off', ...clockDetails(deps) };
      return reply.code(code).send(envelope(code, message, { checks: { ...databases, ...own }, details }));
    });
  };
}

/** Reports a shutdown, so that load balancers send no more requests. Requests that still arrive are served. */
function leaving({ service }: HttpDeps): Record<string, string> {
  return service.leaving ? { service: 'leaving' } : {};
}

/** Reports a clock that differs from the database's, with which other nodes agree. */
function wrongClock({ clock, peers }: HttpDeps): Record<string, string> {
  const skew_ms = clock.skew_ms?.() ?? 0;
  return peers.isWrong(skew_ms) ? { clock: `wrong by ${Math.round(skew_ms / 1000)} s` } : {};
}

/** Returns the skew of this machine's clock. It is not a check, because no decision depends on this clock. */
function clockDetails({ clock }: HttpDeps): { clock?: { skew_ms: number } } {
  const skew_ms = clock.skew_ms?.();
  return skew_ms === undefined ? {} : { clock: { skew_ms } };
}

function workersCheck(deps: HttpDeps, workers: readonly Worker[]): string {
  const stuck = workers.filter((worker) => deps.clock.now() - worker.lastRound() > WORKER_STUCK_MS);
  return stuck.length === 0 ? 'ok' : `stuck: ${stuck.map((worker) => worker.name).join(', ')}`;
}
