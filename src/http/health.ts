import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { envelope } from '../kit/envelope.ts';
import type { Worker } from '../work/worker.ts';
import type { Pages } from './server.ts';

/** A worker that has not completed a round for this long is stuck. */
const WORKER_STUCK_MS = 60_000;

/**
 * `/health/live`: the process answers. `/health/ready`: 503 for what only this node suffers from (a database out of its reach, a
 * worker that is stuck, its own end); `degraded` with 200 for what all nodes suffer from (docs/operations.md).
 */
export function healthPages(deps: Deps, workers: readonly Worker[]): Pages {
  return (app: FastifyInstance) => {
    app.get('/health/live', async () => envelope(200, 'alive', {}));
    app.get('/health/ready', async (_, reply) => {
      const databases = await deps.stores.states();
      const own = { workers: workersCheck(deps, workers), ...leaving(deps) };
      const states = Object.values(databases);
      const serves = !states.includes('unreachable') && Object.values(own).every((state) => state === 'ok');
      const code = serves ? 200 : 503;
      const message = serves ? (states.every((state) => state === 'ok') ? 'ready' : 'degraded') : 'not ready';
      // No check: without Redis the node counts by itself, and a node taken out for that would leave all work to none.
      const details = { rate_limits: deps.limits?.where ?? 'off', ...clockDetails(deps) };
      return reply.code(code).send(envelope(code, message, { checks: { ...databases, ...own }, details }));
    });
  };
}

/** Balancers are to send nothing more; what comes all the same is still served. */
function leaving({ service }: Deps): Record<string, string> {
  return service.leaving ? { service: 'leaving' } : {};
}

/** No check either: this machine's clock decides nothing, and one that is wrong is for its operator to set. */
function clockDetails({ clock }: Deps): { clock?: { skew_ms: number } } {
  const skew_ms = clock.skew_ms?.();
  return skew_ms === undefined ? {} : { clock: { skew_ms } };
}

function workersCheck(deps: Deps, workers: readonly Worker[]): string {
  const stuck = workers.filter((worker) => deps.clock.now() - worker.lastRound() > WORKER_STUCK_MS);
  return stuck.length === 0 ? 'ok' : `stuck: ${stuck.map((worker) => worker.name).join(', ')}`;
}
