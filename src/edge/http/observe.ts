import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDeps } from './deps.ts';

/** Registers request metrics and tracing. When both are disabled, no hook is added. */
export function observeRequests(app: FastifyInstance, { meters, tracer }: Pick<HttpDeps, 'meters' | 'tracer'>): void {
  if (meters) {
    app.addHook('onResponse', (request, reply, done) => {
      meters.request(request.method, patternOf(request), reply.statusCode, reply.elapsedTime);
      done();
    });
  }
  if (!tracer) return;
  const spans = new WeakMap<FastifyRequest, ReturnType<typeof tracer.serve>>();
  app.addHook('onRequest', (request, reply, done) => {
    const span = tracer.serve(`${request.method} ${patternOf(request)}`, request.tracing, request.headers.traceparent);
    spans.set(request, span);
    reply.header('traceparent', span.traceparent);
    tracer.within(span, done);
  });
  // Body events come from the socket, outside the request's context, so the context is entered again.
  app.addHook('preValidation', (request, _, done) => {
    const span = spans.get(request);
    if (span) tracer.within(span, done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(attributesOf(request, reply), reply.statusCode >= 500 ? 'server error' : null);
    done();
  });
}

/** Returns the matched route pattern instead of the requested path: paths contain ids and, on pages, tokens. */
function patternOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none';
}

function attributesOf(request: FastifyRequest, reply: FastifyReply) {
  const { team_id } = request.who;
  return {
    'http.request.method': request.method,
    'http.route': patternOf(request),
    'http.response.status_code': reply.statusCode,
    'pirogue.request_id': request.tracing.request_id,
    ...(team_id ? { 'pirogue.team_id': team_id } : {}),
  };
}
