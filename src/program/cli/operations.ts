import { createLog } from '../../kit/log.ts';
import { type Environment, ENVIRONMENTS } from '../../kit/environment.ts';
import { must } from '../../kit/errors.ts';
import { type IdPrefix, isId } from '../../kit/ids.ts';
import { type Config, type DatabaseUrls, readConfig } from '../../platform/config/config.ts';
import { openStores } from '../../platform/db/stores.ts';
import type { Call, Reply, Route } from '../../tenants/api/route.ts';
import { validatorOf } from '../../tenants/api/validation.ts';
import { SCOPES } from '../../tenants/keys/scopes.ts';
import type { Team } from '../../tenants/teams/schema.ts';
import { findTeam } from '../../tenants/teams/store.ts';
import type { Secrets } from '../../kit/crypto.ts';
import { runInside } from '../../edge/http/run.ts';
import { buildDeps, type Deps } from '../deps.ts';
import { openSecrets } from '../start/secrets.ts';
import { commandClock } from './command-clock.ts';
import { withDatabases, withPool } from './databases.ts';
import { demoTeamId } from './demo-team.ts';
import { UsageFailure } from './failure.ts';
import { requireMigrations } from './migrations.ts';
import { operator } from './operator.ts';
import { refuse } from './refuse.ts';
import { noSuchTeam } from './unknown.ts';

/** Connections to each database: one for the statement of an operation, one for lookups that run meanwhile. */
const POOL = 2;

/** A team and its environment, as options give them. */
export interface TeamOptions {
  team?: bigint;
  environment?: Environment;
}

/** Input of an operation. */
export interface Input {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: object;
  idempotency_key?: string;
}

/** Operations of the API for one team, run in this process by an operator. */
export interface Operations {
  deps: Deps;
  team: Team;
  /** Builds the call of an operation, without validating its input. */
  call<Body, Query>(input: Input): Call<Body, Query>;
  /**
   * Validates the input as the API does and runs the operation.
   * @param name method and path, such as `GET /payments`
   * @throws Failure where the API would answer with an error status
   */
  run(routes: readonly Route[], name: string, input?: Input): Promise<Reply>;
}

/**
 * Opens the operations of the API for a team. They read and write the same rows with the same rights as the service, which does not
 * have to be running.
 * @throws Failure
 */
export async function withOperations<T>(
  environment: Environment,
  options: TeamOptions,
  work: (operations: Operations) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  return withDatabases(config, async (urls) => {
    const { team, secrets } = await withPool(urls.control, async (control) => {
      await requireMigrations(control, 'control');
      const found = await findTeam(control, team_id);
      if (!found) throw noSuchTeam(team_id);
      return { team: found, secrets: await openSecrets(config, control, new Date(commandClock.now())) };
    });
    await withPool(urls[environment], (store) => requireMigrations(store, environment));
    return withDeps(config, urls, secrets, (deps) => work(operationsOf(deps, environment, team)));
  });
}

/** Time for storing exchanges with providers that still wait when a command ends. */
const LOG_CLOSE_MS = 2_000;

async function withDeps<T>(config: Config, urls: DatabaseUrls, secrets: Secrets, work: (deps: Deps) => Promise<T>): Promise<T> {
  const log = createLog({ level: 'silent', format: 'json' });
  const stores = openStores(urls, POOL, log);
  const deps = buildDeps({ config, stores, log, secrets, clock: commandClock });
  try {
    return await work(deps);
  } finally {
    await deps.exchangeLog?.close(LOG_CLOSE_MS);
    await stores.close();
  }
}

function operationsOf(deps: Deps, environment: Environment, team: Team): Operations {
  const store = deps.stores[environment].of(team.id);
  const call: Operations['call'] = <Body, Query>({ params = {}, query, body, idempotency_key }: Input) => {
    const by = operator();
    return {
      caller: { team, store, key_id: by.id, kind: 'secret', scopes: SCOPES, operator_at: by.address },
      ...{ params, query: (query ?? {}) as Query, body: body as Body },
      ...{ idempotency_key: idempotency_key ?? null, sync: null, request_id: by.request_id },
      // Traces begin with requests; a command has none.
      ...{ trace_id: '', ip: by.address, at: commandClock.now() },
    };
  };
  const run: Operations['run'] = async (routes, name, input = {}) => {
    const route = must(
      routes.find(({ method, path }) => `${method} ${path}` === name),
      'the operation exists',
    );
    const { caller, ...sent } = call<unknown, Record<string, unknown>>({ ...input, query: { ...input.query } });
    const validated = { route, validator: validatorOf(route.body, route.query) };
    return runInside(deps, validated, caller, sent).catch((error: unknown) => refuse(error));
  };
  return { deps, team, call, run };
}

/**
 * Returns the environment of an id.
 * @param wanted the environment that the options name, if any
 * @throws UsageFailure for another id, and for one of the other environment
 */
export function environmentOf(prefix: IdPrefix, id: string, wanted: Environment | undefined, list: string): Environment {
  const environment = ENVIRONMENTS.find((one) => isId(prefix, one, id));
  if (!environment) throw new UsageFailure(`${id} is not an id of this kind`, `Use the ${prefix}_… of "pirogue ${list}".`);
  if (wanted && wanted !== environment) {
    throw new UsageFailure(`${id} is an id of ${environment}`, `Leave out --environment ${wanted}: the id selects it.`);
  }
  return environment;
}
