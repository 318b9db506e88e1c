import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { envelope } from '../kit/envelope.ts';
import { sql } from '../kit/sql.ts';
import type { Worker } from '../work/worker.ts';
import type { Pages } from './server.ts';

/** A worker that has not completed a round for this long is stuck. */
const WORKER_STUCK_MS = 60_000;
const PROBE_MS = 2_000;

/** `/health/live`: the process answers. `/health/ready`: databases reachable and migrated, workers running; where requests are counted. */
export function healthPages(deps: Deps, workers: readonly Worker[]): Pages {
  return (app: FastifyInstance) => {
    app.get('/health/live', async () => envelope(200, 'alive', {}));
    app.get('/health/ready', async (_, reply) => {
      const checks = { ...(await databaseChecks(deps)), workers: workersCheck(deps, workers), ...leaving(deps) };
      const ready = Object.values(checks).every((state) => state === 'ok');
      const code = ready ? 200 : 503;
      // No check: without Redis the node counts by itself, and a node taken out for that would leave all work to none.
      const details = { rate_limits: deps.limits?.where ?? 'off', ...clockDetails(deps) };
      return reply.code(code).send(envelope(code, ready ? 'ready' : 'not ready', { checks, details }));
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

async function databaseChecks(deps: Deps): Promise<Record<string, string>> {
  const { control, sandbox, live } = deps.stores;
  const probes = { control, sandbox: sandbox.db, live: live.db };
  const states = await Promise.all(
    Object.entries(probes).map(async ([name, db]) => {
      const answered = db.all(sql`select 1`).then(
        () => 'ok',
        () => 'unreachable',
      );
      return [name, await Promise.race([answered, after(PROBE_MS, 'too slow')])] as const;
    }),
  );
  return Object.fromEntries(states);
}

function workersCheck(deps: Deps, workers: readonly Worker[]): string {
  const stuck = workers.filter((worker) => deps.clock.now() - worker.lastRound() > WORKER_STUCK_MS);
  return stuck.length === 0 ? 'ok' : `stuck: ${stuck.map((worker) => worker.name).join(', ')}`;
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}
