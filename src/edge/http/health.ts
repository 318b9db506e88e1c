import type { FastifyInstance } from 'fastify';
import { envelope } from '../../kit/envelope.ts';
import type { Worker } from '../../platform/work/worker.ts';
import type { HttpDeps } from './deps.ts';
import type { Pages } from './server.ts';

/** A worker without a completed round for this long is stuck. */
const WORKER_STUCK_MS = 60_000;

/**
 * `/health/live`: the process responds. `/health/ready`: 503 for a fault of this node (an unreachable database, a stuck
 * worker, shutdown); 200 with `degraded` for a fault that affects all nodes (docs/operations.md).
 */
export function healthPages(deps: HttpDeps, workers: readonly Worker[]): Pages {
  return (app: FastifyInstance) => {
    app.get('/health/live', async () => envelope(200, 'alive', {}));
    app.get('/health/ready', async (_, reply) => {
      const databases = await deps.stores.states();
      const own = { workers: workersCheck(deps, workers), ...leaving(deps) };
      const states = Object.values(databases);
      const serves = !states.includes('unreachable') && Object.values(own).every((state) => state === 'ok');
      const code = serves ? 200 : 503;
      const message = serves ? (states.every((state) => state === 'ok') ? 'ready' : 'degraded') : 'not ready';
      // Details are not checks: without Redis the node counts locally, and taking nodes out of rotation for that would leave
      // none.
      const details = { rate_limits: deps.limits?.where ?? 'off', ...clockDetails(deps) };
      return reply.code(code).send(envelope(code, message, { checks: { ...databases, ...own }, details }));
    });
  };
}

/** Tells load balancers to send no more requests; requests that still arrive are served. */
function leaving({ service }: HttpDeps): Record<string, string> {
  return service.leaving ? { service: 'leaving' } : {};
}

/** Not a check either: no decision depends on this machine's clock, and its operator has to correct it. */
function clockDetails({ clock }: HttpDeps): { clock?: { skew_ms: number } } {
  const skew_ms = clock.skew_ms?.();
  return skew_ms === undefined ? {} : { clock: { skew_ms } };
}

function workersCheck(deps: HttpDeps, workers: readonly Worker[]): string {
  const stuck = workers.filter((worker) => deps.clock.now() - worker.lastRound() > WORKER_STUCK_MS);
  return stuck.length === 0 ? 'ok' : `stuck: ${stuck.map((worker) => worker.name).join(', ')}`;
}
