import type { FastifyInstance } from 'fastify';
import type { Route } from '../../tenants/api/route.ts';
import { loggedPath, wordsOf } from '../../tenants/request-log/path.ts';
import type { HttpDeps } from './deps.ts';

/** Reports each request with a known key to the request log after its answer. Without a log, no hook is added. */
export function logRequests(app: FastifyInstance, { requestLog }: Pick<HttpDeps, 'requestLog'>, routes: readonly Route[]): void {
  if (!requestLog) return;
  const words = wordsOf(routes.map(({ path }) => path));
  app.addHook('onResponse', (request, reply, done) => {
    const { made_by, method, failure, at } = request;
    if (made_by) {
      requestLog.add({
        ...{ environment: made_by.environment, team_id: made_by.team_id, caller: made_by.key_id },
        ...{
          request_id: request.tracing.request_id,
          own_id: request.tracing.own_id,
          method,
          path: loggedPath(request.url, words),
        },
        ...{ status: reply.statusCode, error_code: failure ?? null, duration_ms: Math.round(reply.elapsedTime), at },
      });
    }
    done();
  });
}
