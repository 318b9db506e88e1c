import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { must, Problem } from '../../kit/errors.ts';
import { envelope } from '../../kit/envelope.ts';
import type { KeyRing } from '../../tenants/keys/ring.ts';
import { KEY_CHECK_MS } from '../../tenants/keys/service.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import { versions } from '../../tenants/versions/registry.ts';
import { admit, readmit, type Target } from './admission.ts';
import { clientAddress } from './client-address.ts';
import type { HttpDeps } from './deps.ts';
import { type Adviser, adviserOf } from '../../tenants/api/adviser.ts';
import { objectBody, syntaxHint, withIdHint } from './hints.ts';
import { asProblem } from '../../tenants/api/replies.ts';
import type { Call, Reply, Route } from '../../tenants/api/route.ts';
import { Serializers } from './serializers.ts';
import { refuseCards, runRoute } from './run.ts';
import { type Validator, validatorOf } from '../../tenants/api/validation.ts';

/** All methods that Node parses, so that a path responds with 405 to methods it does not have. CONNECT has no path. */
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT');
const JSON_TYPE = 'application/json; charset=utf-8';
const ID_HEADERS =
  'X-Request-Id, X-Trace-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed';

/**
 * Registers every route, the methods that its path lacks, and the checks before them.
 * @param resources first segments of all paths
 */
export function registerApi(
  app: FastifyInstance,
  deps: HttpDeps,
  keys: KeyRing,
  routes: Route[],
  resources: readonly string[],
): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  parseJson(app);
  for (const method of ALL_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

  const enter = (matched: Target) => async (request: FastifyRequest, reply: FastifyReply) => {
    // The router also matches "/payments/", with an empty id.
    const isEmpty = Object.values(request.params as Call['params']).includes('');
    const target: Target = isEmpty ? { kind: 'nothing', resources } : matched;
    if (target.kind === 'route' && target.route.access === 'public') allowOrigins(reply);
    const { caller, version } = await admit(deps, keys, { request, reply }, target);
    admitted.set(request, { caller, version });
    request.who = { team_id: String(caller.team.id), key_id: caller.key_id };
  };

  for (const route of routes) {
    const validator = validatorOf(route.body, route.query);
    const adviser = adviserOf(route);
    let serializers: Serializers | undefined;
    app.route({
      method: route.method,
      url: route.path,
      onRequest: enter({ kind: 'route', route }),
      handler: async (request, reply) => {
        serializers ??= new Serializers(reply, route, deps.log); // before the route's work: nothing is committed if this fails
        const compiled = { route, validator, adviser, serializers };
        const first = must(admitted.get(request), 'enter set it');
        const isLate = deps.clock.now() - request.at >= KEY_CHECK_MS;
        return serve(deps, compiled, isLate ? await admittedLate(deps, keys, request, route, first) : first, request, reply);
      },
    });
  }
  for (const [path, methods] of methodsByPath(routes)) {
    const allow = [...methods];
    const missing = ALL_METHODS.filter((method) => !methods.has(method) && method !== 'OPTIONS') as HTTPMethods[];
    if (routes.some((route) => route.path === path && route.access === 'public')) registerPreflight(app, path, allow);
    else missing.push('OPTIONS');
    app.route({
      method: missing,
      url: path,
      onRequest: enter({ kind: 'wrong_method', path, allow }),
      handler: unreachableHandler,
    });
  }
}

function unreachableHandler(): never {
  throw new Error('impossible: the method was refused before');
}

interface Admitted {
  caller: Caller;
  /** API version of the request and the response. */
  version: string;
}

/**
 * Admits a request again after its body arrived late, and sets its time to now: totals of lists assume that no row is added with an id
 * older than a minute.
 */
async function admittedLate(
  deps: HttpDeps,
  keys: KeyRing,
  request: FastifyRequest,
  route: Route,
  { version }: Admitted,
): Promise<Admitted> {
  const caller = await readmit(deps, keys, request, { kind: 'route', route });
  request.at = deps.clock.now();
  return { caller, version };
}

/** A route with what is compiled from its schemas. */
interface Compiled {
  route: Route;
  validator: Validator;
  adviser: Adviser;
  serializers: Serializers;
}

/**
 * Upgrades the request to the newest version, the only one that handlers implement, and downgrades the response to the
 * caller's version.
 */
async function serve(
  deps: HttpDeps,
  { route, validator, adviser, serializers }: Compiled,
  { caller, version }: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const name = `${route.method} ${route.path}`;
  const sent_body = route.body ? objectBody(request.body) : request.body;
  refuseCards(sent_body, route);
  try {
    const warnings = adviser.warnings(version, sent_body); // before the route's work: nothing is committed if this fails
    const answer = await handle(deps, route, validator, caller, request, version, sent_body);
    const { code, headers = {} } = answer;
    reply.code(code).headers(headers).type(JSON_TYPE);
    const warned = warnings.length === 0 ? answer : { ...answer, body: { warnings, ...answer.body } };
    return send(reply.serializer(serializers.of(reply, answer)), warned, name, version);
  } catch (error) {
    const ids = { params: request.params as Call['params'], sync: header(request, 'x-sync'), body: sent_body };
    const { environment } = caller.store;
    throw versions.problemFor(version, name, adviser.hinted(version, sent_body, withIdHint(error, route.path, environment, ids)));
  }
}

/** Reads what the request sent for an operation, and runs it. */
function handle(
  deps: HttpDeps,
  route: Route,
  validator: Validator,
  caller: Caller,
  request: FastifyRequest,
  version: string,
  sent_body: unknown,
): Promise<Reply> {
  return runRoute(deps, { route, validator }, caller, version, {
    body: sent_body,
    query: { ...(request.query as Record<string, unknown>) },
    params: request.params as Record<string, string>,
    idempotency_key: route.method === 'POST' ? header(request, 'idempotency-key') : null,
    sync: header(request, 'x-sync'),
    request_id: request.tracing.request_id,
    trace_id: request.tracing.trace_id,
    ip: clientAddress(request),
    at: request.at,
  });
}

/**
 * Sends the response. An older version is translated from the newest version's filtered output. A stored response in an older
 * version is sent without a filter, because no filter has its shape.
 */
function send(reply: FastifyReply, answer: Reply, route: string, version: string): FastifyReply {
  const { newest } = versions;
  const payload = envelope(answer.code, answer.message, answer.body);
  const { version: from = newest } = answer;
  if (from === newest && version === newest) return reply.send(payload);
  const shown = from === newest ? JSON.parse(reply.serialize(payload) as string) : payload;
  return reply.serializer(JSON.stringify).send(versions.downgrade(from, version, route, shown));
}

function header(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

/** Parses every body as JSON, whatever the Content-Type: curl and many clients set a wrong one. */
function parseJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    const text = decode(bytes as Buffer);
    if (text === null) return done(new Problem(400, 'The body is not valid UTF-8.'));
    parse(request, text, (error, body) => {
      if (error) done(asProblem(error).hinted(syntaxHint(text)));
      else done(null, body);
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function methodsByPath(routes: Route[]): Map<string, Set<string>> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) methods.set(path, (methods.get(path) ?? new Set()).add(method));
  return methods;
}

/** Pages on any origin may use a public key; a browser can do nothing else on these routes. */
function allowOrigins(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', ID_HEADERS);
}

function registerPreflight(app: FastifyInstance, path: string, allow: string[]): void {
  app.options(path, (_, reply) => {
    allowOrigins(reply);
    reply
      .header('Access-Control-Allow-Methods', allow.join(', '))
      .header(
        'Access-Control-Allow-Headers',
        'Authorization, Content-Type, Idempotency-Key, X-Request-Id, X-Service-Version, X-Sync, traceparent',
      )
      .header('Access-Control-Max-Age', '7200')
      .code(204)
      .send();
  });
}
