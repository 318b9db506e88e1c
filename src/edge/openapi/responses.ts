import { canonicalJson } from '../../kit/json.ts';
import { reasonPhrase } from '../../kit/envelope.ts';
import type { Route } from '../../tenants/api/route.ts';
import { replyExample } from './examples/replies.ts';
import { headersOf } from './headers.ts';
import { operationIdOf, pascal } from './operation-id.ts';
import { type ProblemName, PROBLEMS } from '../../tenants/api/problems.ts';
import type { Schemas } from './schemas.ts';
import type { Ref, Response, Schema } from './types.ts';

/** Shared responses with the name of their component. */
export type SharedResponses = Map<string, { name: string; response: Response }>;

/** Builds all responses of an operation: successes, then the problems derived from the route. */
export function responsesOf(route: Route, schemas: Schemas, shared: SharedResponses): Record<string, Response | Ref> {
  const operation = pascal(operationIdOf(route));
  const successes = Object.entries(route.replies).map(([status, schema]) => [status, success(route, status, schemas.of(schema))]);
  const problems = [...byStatus(problemsOf(route))].map(([status, names]) => [
    String(status),
    share(shared, names, operation, failure(status, names, schemas)),
  ]);
  return Object.fromEntries([...successes, ...problems]);
}

function success(route: Route, status: string, schema: Schema): Response {
  return {
    description: reasonPhrase(Number(status)),
    headers: headersOf(Number(status), route.idempotent === true),
    content: {
      'application/json': { schema, examples: { answer: { value: replyExample(operationIdOf(route), Number(status)) } } },
    },
  };
}

/** Returns the problems of a route: those of the checks of every request, in their order, and those of its handler. */
export function problemsOf(route: Route): ProblemName[] {
  const { body, liveOnly, sandboxOnly, pays, path, idempotent } = route;
  const own = route.problems ?? [];
  const unnamed404 = path.includes(':') && !own.some((name) => PROBLEMS[name].status === 404);
  const names: (ProblemName | false | undefined)[] = [
    'unsupported_api_version',
    body && 'malformed_body',
    'key_missing',
    'key_unknown',
    'secret_key_in_browser',
    'ip_not_allowed',
    'scope_missing',
    liveOnly && 'live_only_feature',
    sandboxOnly && 'not_in_live',
    unnamed404 && 'resource_not_found',
    !pays && 'private_key_required',
    body ? 'invalid_fields' : 'invalid_query',
    body && 'raw_card_data_not_accepted',
    route.method === 'POST' && 'idempotency_key_invalid',
    idempotent && 'idempotency_key_reused',
    'rate_limited',
    isPayoutWrite(route) && 'payout_limited',
    'internal_error',
    ...own,
  ];
  return [...new Set(names)].filter((name) => name !== false && name !== undefined) as ProblemName[];
}

function isPayoutWrite({ method, path }: Route): boolean {
  return method === 'POST' && (path === '/transfers' || path === '/beneficiaries');
}

function byStatus(names: ProblemName[]): Map<number, ProblemName[]> {
  const statuses = Map.groupBy(names, (name) => PROBLEMS[name].status);
  return new Map([...statuses].sort(([a], [b]) => a - b));
}

function failure(status: number, names: ProblemName[], schemas: Schemas): Response {
  return {
    description: [reasonPhrase(status), '', ...names.map((name) => `- ${PROBLEMS[name].when}`)].join('\n'),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema: schemas.ref(shapeOf(status)),
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

function shapeOf(status: number): string {
  if (status === 402) return 'PaymentRefused';
  if (status === 409 || status === 422) return 'ValidationError';
  return status === 429 ? 'RateLimited' : 'Error';
}

/** Stores a response shared by several operations once, named after its cause or the first operation that has it. */
function share(shared: SharedResponses, names: ProblemName[], operation: string, response: Response): Ref {
  const key = canonicalJson(names);
  const known = shared.get(key);
  const name = known?.name ?? freeName(shared, names, operation);
  if (!known) shared.set(key, { name, response });
  return { $ref: `#/components/responses/${name}` };
}

function freeName(shared: SharedResponses, names: ProblemName[], operation: string): string {
  const [first] = names as [ProblemName];
  const phrase = names.length === 1 ? first : reasonPhrase(PROBLEMS[first].status);
  const name = pascal(phrase.toLowerCase().replace(/\W+|_/g, '-'));
  return [...shared.values()].some((other) => other.name === name) ? `${operation}${name}` : name;
}
