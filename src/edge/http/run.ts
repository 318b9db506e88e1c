import type { TObject } from 'typebox';
import type { Environment } from '../../kit/environment.ts';
import { type FieldErrors, invalid, Problem } from '../../kit/errors.ts';
import { pgCode, QUERY_CANCELED } from '../../kit/sql.ts';
import type { Wake } from '../../platform/work/wake.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import { idempotencyKeyFault } from '../../tenants/api/idempotency-key.ts';
import { inspectBody } from '../../tenants/api/body.ts';
import type { Call, Reply, Route } from '../../tenants/api/route.ts';
import type { Validator } from '../../tenants/api/validation.ts';
import { versions } from '../../tenants/versions/registry.ts';

/** What a request sends for an operation, before it is validated. */
export type Sent = Omit<Call<unknown, Record<string, unknown>>, 'caller' | 'sent_body'>;

/** A route with what is compiled from its schemas. */
export interface RunnableRoute {
  route: Route;
  validator: Validator;
}

/**
 * Runs the checks that a handler relies on, in the order of docs/contract/order-of-checks.md, then calls the handler. Requests of the
 * API, actions of the console and commands all use it.
 * @param version API version of the query and the body
 * @throws Problem 422 for an invalid query or body, and for a numbered page that is not read and counted within the deadline of a
 *   statement; any error of the handler
 */
export async function runRoute(
  deps: { wake: Wake },
  { route, validator }: RunnableRoute,
  caller: Caller,
  version: string,
  sent: Sent,
): Promise<Reply> {
  const { body, query } = versions.upgrade(version, `${route.method} ${route.path}`, { body: sent.body, query: sent.query });
  const faults = validator.body(body);
  // The faults of the schema come first in the message, and replace those of the check.
  refuseFaults({ ...validator.query(query), ...faults, ...route.check?.(body, caller.store.environment), ...faults });
  if (sent.idempotency_key !== null) refuseKey(sent.idempotency_key);
  const call = { ...sent, caller, query: namedIn(route, query), body };
  const answer = await route
    .handle({ ...call, ...(body === sent.body ? {} : { sent_body: sent.body }) })
    .catch((error: unknown) => {
      if (isNumberedPage(route, call.query) && pgCode(error) === QUERY_CANCELED) throw invalid({ page: [TOO_LONG] });
      throw error;
    });
  if (route.method !== 'GET') deps.wake.ring(caller.store.environment);
  return answer;
}

/** A numbered page reads all rows before it and counts the whole list. A page by cursor does neither. */
const TOO_LONG = 'takes too long in a list of this size: page by cursor, starting with an empty one, or filter more narrowly';

function isNumberedPage({ query: schema }: Route, query: Record<string, unknown>): boolean {
  return Object.hasOwn((schema as TObject | undefined)?.properties ?? {}, 'page') && query.cursor === undefined;
}

/**
 * Returns the query fields that the route declares, because handlers treat every field as a filter. An empty one filters nothing, as
 * the unused field of a form; only an empty cursor has a meaning.
 */
function namedIn({ query: schema }: Route, query: Record<string, unknown>): Record<string, unknown> {
  const named = (schema as TObject | undefined)?.properties ?? {};
  const isSet = (name: string, value: unknown) => Object.hasOwn(named, name) && (value !== '' || name === 'cursor');
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => isSet(name, value)));
}

/**
 * Runs an operation for a caller inside the program, such as a page of the console or a command, in the newest API version. Raw card
 * data is rejected first, as in requests.
 * @throws Problem as {@link runRoute}
 */
export function runInside(deps: { wake: Wake }, found: RunnableRoute, caller: Caller, sent: Sent): Promise<Reply> {
  refuseCards(sent.body, found.route);
  return runRoute(deps, found, caller, versions.newest, sent);
}

/**
 * Rejects an invalid body, as {@link runInside} does before it runs.
 * @throws Problem 422
 */
export function refuseBody({ route, validator }: RunnableRoute, environment: Environment, body: unknown): void {
  refuseCards(body, route);
  const faults = validator.body(body);
  refuseFaults({ ...faults, ...route.check?.(body, environment), ...faults });
}

/**
 * Rejects raw card data before validation, and before any part of the body is hashed, logged or stored.
 * @throws Problem 422
 */
export function refuseCards(body: unknown, { payer_data, body: schema }: Pick<Route, 'payer_data' | 'body'>): void {
  if (body === undefined) return;
  const { properties } = (schema ?? {}) as Partial<TObject>;
  const { cards, faults } = inspectBody(body, payer_data ? 'any' : 'issued', properties);
  const first = Object.entries(cards)[0];
  if (first) {
    const message = `Raw card data is not accepted: ${first[0]} ${first[1][0]}. Card details are entered on the hosted page only.`;
    throw new Problem(422, message, { error_code: 'raw_card_data_not_accepted', errors: cards });
  }
  refuseFaults(faults);
}

function refuseFaults(faults: FieldErrors): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}

/**
 * Rejects an Idempotency-Key that is not 1 to 255 visible ASCII characters or appears to contain a card number.
 * @throws Problem 422
 */
function refuseKey(key: string): void {
  const fault = idempotencyKeyFault(key);
  if (fault) throw invalid({ idempotency_key: [fault] }, 'idempotency_key_invalid');
}
