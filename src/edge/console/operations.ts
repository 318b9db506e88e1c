import { must, Problem } from '../../kit/errors.ts';
import type { Reply, Route } from '../../tenants/api/route.ts';
import { renderError } from '../../tenants/api/replies.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import type { Caller } from '../../tenants/keys/caller.ts';
import type { Scope } from '../../tenants/keys/scopes.ts';
import { loggedPath, wordsOf } from '../../tenants/request-log/path.ts';
import { type RunnableRoute, refuseBody, runInside } from '../http/run.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ApiCall, Visit } from './page.ts';

/** The operations of the API by name, such as `POST /refunds`. */
export class Operations {
  readonly #deps: ConsoleDeps;
  readonly #words: ReadonlySet<string>;
  readonly #byName: ReadonlyMap<string, RunnableRoute>;

  constructor(deps: ConsoleDeps, routes: readonly Route[]) {
    this.#deps = deps;
    this.#words = wordsOf(routes.map(({ path }) => path));
    this.#byName = new Map(
      routes.map((route) => [`${route.method} ${route.path}`, { route, validator: validatorOf(route.body, route.query) }]),
    );
  }

  /**
   * Calls an operation as a person, by the path that requests of the API take after their key was checked.
   * @throws Problem 403 when the person's scopes lack that of the operation, or the environment does not have it
   */
  async call(name: string, caller: Caller, visit: Visit, sent: ApiCall): Promise<Reply> {
    const found = must(this.#byName.get(name), `no operation ${name}`);
    const { requestLog } = this.#deps;
    // Reads are not logged, because they would hide the changes in the log.
    if (!requestLog || found.route.method === 'GET') return this.#run(found, caller, visit, sent);
    // A visit can run several operations, which the log lists in their order.
    const [at, started] = [this.#deps.clock.now(), performance.now()];
    const report = (status: number, error_code: string | null) =>
      requestLog.add({
        ...{ environment: caller.store.environment, team_id: caller.team.id, caller: caller.key_id, at },
        ...{
          request_id: visit.request_id,
          own_id: false,
          method: found.route.method,
          path: pathOf(found.route.path, sent, this.#words),
        },
        ...{ status, error_code, duration_ms: Math.round(performance.now() - started) },
      });
    try {
      const reply = await this.#run(found, caller, visit, sent);
      report(reply.code, null);
      return reply;
    } catch (error) {
      const { code, body } = renderError(error);
      report(code, typeof body.error_code === 'string' ? body.error_code : null);
      throw error;
    }
  }

  /**
   * Verifies that a person may call an operation, and that its body is well formed, without calling it.
   * @returns the scope that it needs
   * @throws Problem as {@link call} does before the operation runs
   */
  check(name: string, caller: Caller, body: unknown): Scope {
    const found = must(this.#byName.get(name), `no operation ${name}`);
    refuseCall(found, caller);
    refuseBody(found, caller.store.environment, body);
    return found.route.scope;
  }

  async #run(found: RunnableRoute, caller: Caller, visit: Visit, sent: ApiCall): Promise<Reply> {
    const { route } = found;
    refuseCall(found, caller);
    const { params = {}, query = {}, body = {}, idempotency_key = null, sync = null } = sent;
    const { verifyPayee, verifyDestination, verifySeen, verifyFirst } = sent;
    return runInside(this.#deps, found, caller, {
      ...{ params, query: queryTexts(query), body, sync: route.sync ? sync : null },
      idempotency_key,
      ...{ request_id: visit.request_id, trace_id: visit.trace_id, ip: visit.ip, at: visit.at },
      ...(verifyPayee ? { verifyPayee } : {}),
      ...(verifyDestination ? { verifyDestination } : {}),
      ...(verifySeen ? { verifySeen } : {}),
      ...(verifyFirst ? { verifyFirst } : {}),
    });
  }
}

/** Rejects a call without permission. @throws Problem 403 when the person lacks the scope, or the environment the operation */
function refuseCall({ route }: RunnableRoute, caller: Caller): void {
  if (!caller.scopes.includes(route.scope)) {
    throw new Problem(403, `Your role lacks the permission ${route.scope}.`, { error_code: 'scope_missing' });
  }
  const { environment } = caller.store;
  if (route.liveOnly && environment === 'sandbox') {
    throw new Problem(403, 'This feature exists in the live environment only.', { error_code: 'live_only_feature' });
  }
  if (route.sandboxOnly && environment === 'live') throw new Problem(501, 'Not available in the live environment.');
}

/** Returns the path under which the operation is in the request log. */
function pathOf(pattern: string, { params = {} }: ApiCall, words: ReadonlySet<string>): string {
  return loggedPath(
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    words,
  );
}

/** Leaves out empty fields of a form, which are not filters. An empty cursor is kept: it is the start of a list. */
function queryTexts(query: Record<string, unknown>): Record<string, unknown> {
  const isSent = (name: string, value: unknown) => value !== undefined && value !== null && (value !== '' || name === 'cursor');
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => isSent(name, value)));
}
