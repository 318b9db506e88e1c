import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Environment } from '../../kit/environment.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import { CircuitOpen } from '../../platform/db/circuit.ts';
import { KeyRing } from '../../tenants/keys/ring.ts';
import { reasonPhrase } from '../../kit/envelope.ts';
import { registerApi } from './api.ts';
import { isOurFault, renderError } from '../../tenants/api/replies.ts';
import { readTracing, type Tracing } from './tracing.ts';
import type { Route } from '../../tenants/api/route.ts';
import { admit } from './admission.ts';
import { proxyTrust, proxyWarning } from './client-address.ts';
import { announceClose, closeWhileLeaving, followHandlers } from './connections.ts';
import { isAstray } from './console-host.ts';
import type { HttpDeps } from './deps.ts';
import { loggablePath } from './loggable-path.ts';
import { observeRequests } from './observe.ts';
import { logRequests } from './request-log.ts';
import { answerUnknownMethod, headOf } from './unknown-method.ts';

const BODY_BYTES = 256 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    tracing: Tracing;
    /** Time of the request in milliseconds since the epoch, used for everything it writes. */
    at: number;
    /** Caller in the log line, once known. */
    who: { team_id?: string; key_id?: string };
    /** The key of an API request, also of one that is rejected. */
    made_by: { team_id: bigint; environment: Environment; key_id: string } | null;
    /** `error_code` of the response, where it has one. */
    failure: string | undefined;
  }
}

/** An error of Node's HTTP parser. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: unknown };

/** Pages and probes: they need no key and bypass the API's checks. */
export type Pages = (app: FastifyInstance) => void | Promise<void>;

/**
 * Builds the HTTP server: ids on every response, one log line per request, errors in the envelope, the API behind its checks,
 * and the pages.
 */
export function buildServer(deps: HttpDeps, routes: Route[], pages: Pages[]): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    trustProxy: proxyTrust(deps.config.trust_proxy),
    // Headers and body must arrive within this time, so that slow senders do not hold a connection.
    requestTimeout: deps.config.request_timeout_ms,
    connectionTimeout: 60_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    http: {
      // Node would reject these requests itself, without our ids and envelope.
      requireHostHeader: false,
      // Node applies the larger of its two deadlines to the body, and its default for headers is one minute.
      headersTimeout: deps.config.request_timeout_ms,
      connectionsCheckingInterval: Math.ceil(deps.config.request_timeout_ms / 4),
    },
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => routable(url),
    // A longer id does not exist; the caller gets a 404 after the key is checked.
    routerOptions: { maxParamLength: 20_000 },
    frameworkErrors: (error, request, reply) => {
      trace(deps, request as FastifyRequest, reply as unknown as FastifyReply);
      // No hook runs for these.
      announceClose(deps.service, reply as unknown as FastifyReply);
      sendError(deps, error, request as FastifyRequest, reply as unknown as FastifyReply);
    },
    clientErrorHandler: (error, socket) => answerUnparsed(app, deps, error, socket),
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const keys = new KeyRing(deps.stores.control, deps.clock);
  app.decorateRequest('who');
  app.decorateRequest('made_by', null);
  const resources = [...new Set(routes.map(({ path }) => path.split('/')[1] ?? ''))];
  app.decorateRequest('failure');
  const warnOfProxy = proxyWarning(deps.config.trust_proxy, deps.log);
  app.addHook('onRequest', async (request, reply) => {
    // Probes do not wait, because they report the fault.
    if (!request.url.startsWith('/health/')) await deps.clock.refresh?.();
    trace(deps, request, reply);
    warnOfProxy(request);
    if (request.raw.httpVersion === '1.1' && !request.headers.host) throw new Problem(400, 'The Host header is missing.');
    if (isAstray(deps.config, request)) throw notFound();
    // Checked before the body of an unknown path is read: a missing key is reported first.
    if (request.is404) await admit(deps, keys, { request, reply }, { kind: 'nothing', resources });
  });
  closeWhileLeaving(app, deps.service);
  const handlersEnded = followHandlers(app, deps.service);
  observeRequests(app, deps);
  logRequests(app, deps, routes);
  app.addHook('onReady', async () => deps.limits?.open());
  app.addHook('onClose', async () => deps.limits?.close());
  app.addHook('onResponse', (request, reply, done) => {
    logLine(deps, request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply));
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  for (const page of pages) app.register(async (scope) => page(scope));
  app.register(async (scope) => registerApi(scope, deps, keys, routes, resources));
  // Registered last, because these hooks run in reverse order, and handlers use resources that the other hooks close.
  app.register(async (scope) => {
    scope.addHook('onClose', handlersEnded);
  });
  return app;
}

/**
 * Returns the target of a request with its invalid percent-encoding taken literally: it is part of an id that does not exist. The router
 * would reject it before the key is checked, and count nothing.
 */
function routable(url: string): string {
  if (!url.includes('%')) return url;
  const path = url.split(/[?#]/)[0] ?? '';
  try {
    decodeURI(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Answers a request that Node could not parse, and ends its connection. */
function answerUnparsed(app: FastifyInstance, deps: HttpDeps, error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const packet = error.code === 'HPE_INVALID_METHOD' ? error.rawPacket : undefined;
  const head = packet instanceof Buffer ? headOf(packet) : null;
  if (!head) {
    answerMalformed(deps, socket);
    return;
  }
  answerUnknownMethod(app, head, socket).catch((err) => {
    deps.log.error({ err }, 'a request with an unknown method could not be answered');
    socket.destroy();
  });
}

function answerMalformed({ clock }: HttpDeps, socket: Socket): void {
  const { request_id, trace_id, traceparent } = readTracing({}, clock.now());
  const body = JSON.stringify({ code: 400, status: reasonPhrase(400), message: 'The request is malformed.' });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nX-Request-Id: ${request_id}\r\n` +
      `X-Trace-Id: ${trace_id}\r\ntraceparent: ${traceparent}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function trace(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
  request.at = deps.clock.now();
  request.tracing = readTracing(request.headers, request.at);
  request.who = {};
  request.made_by = null;
  reply.header('X-Request-Id', request.tracing.request_id);
  reply.header('X-Trace-Id', request.tracing.trace_id);
  reply.header('traceparent', request.tracing.traceparent);
  reply.header('X-Content-Type-Options', 'nosniff');
  if (deps.config.public_url.startsWith('https:')) reply.header('Strict-Transport-Security', 'max-age=31536000');
}

function sendError(deps: HttpDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, headers, body } = renderError(error);
  request.failure = typeof body.error_code === 'string' ? body.error_code : undefined;
  // The circuit has logged why it opened, and a line for each request would hide that.
  if (isOurFault(error) && !(error instanceof CircuitOpen))
    deps.log.error({ err: error, request_id: request.tracing.request_id }, 'a request failed with an internal error');
  // The route's serialiser would reduce the error to the success shape.
  reply.code(code).headers(headers).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body);
}

/** Logs a request: fields for machines, or one line of text for people. */
function logLine(deps: HttpDeps, request: FastifyRequest, reply: FastifyReply): void {
  const { request_id, trace_id } = request.tracing;
  const { method, failure } = request;
  const { statusCode: status } = reply;
  const path = loggablePath(request.url, request.routeOptions.url);
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  if (deps.config.log_format === 'pretty') {
    const line = [method, path, status, `${ms} ms`, ...(failure ? [failure] : []), request_id].join(' ');
    // A decoded path can hold line feeds and control sequences of terminals.
    deps.log.info(line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd'));
    return;
  }
  deps.log.info(
    {
      method,
      path,
      status,
      ms,
      request_id,
      trace_id,
      ...request.who,
    },
    'request',
  );
}
