import type { DatabaseUrls } from '../config/config.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Log } from '../../kit/log.ts';
import type { Db } from '../../kit/sql.ts';
import { type DatabaseState, Probe } from './probe.ts';
import type { CircuitState } from './circuit.ts';
import { APP_ROLE, type DbPool, openPool, type PoolOptions, type PoolUse } from './pool.ts';
import type { Scope } from './scope.ts';

/** Data of one environment. The API key selects it; it is never joined with the other. */
export interface Store {
  readonly environment: Environment;
  /** Reads and writes only rows of the team that the store was opened for (row-level security). */
  readonly db: Db;
  /** The store of all teams, for work shared by many teams. A test lists its users (test/tenants/handles.test.ts). */
  readonly whole?: WholeStore;
}

/**
 * Store of all teams, for background work and operators. Code that serves one caller, payer or provider uses {@link
 * WholeStore.of}.
 */
export interface WholeStore extends Store {
  /** Returns the store of one team. */
  of(team_id: bigint): Store;
}

export interface Stores {
  /** Teams and keys; read-only on the API path. */
  readonly control: Db;
  readonly sandbox: WholeStore;
  readonly live: WholeStore;
  /** Returns the state of each database as seen from this node, for readiness. */
  states(): Promise<Record<keyof DatabaseUrls, DatabaseState>>;
  /** Returns when each database last answered this node's probe, on the monotonic clock. */
  reached(): Record<keyof DatabaseUrls, number>;
  /** Returns the state of the circuit of each database. */
  circuits(): Record<keyof DatabaseUrls, CircuitState>;
  close(): Promise<void>;
}

/** Stores that also report the use of their pools. */
export interface OpenStores extends Stores {
  use(): Record<keyof DatabaseUrls, PoolUse>;
}

/**
 * Returns the maximum number of connections of one process: a pool and a probe for each of the three databases, and one for
 * the clock.
 */
export function connectionsOf(database_pool: number): number {
  return 3 * (database_pool + 1) + 1;
}

/**
 * Opens the pools of the three databases.
 * @param size connections per pool
 * @param watch returns the statement listener of a database
 */
export function openStores(
  urls: DatabaseUrls,
  size: number,
  log: Log,
  watch?: (database: keyof DatabaseUrls) => PoolOptions['watch'],
): OpenStores {
  // All use the application role. Connections are made when first needed.
  const probeOf = (name: keyof DatabaseUrls) => new Probe(openPool({ url: urls[name], size: 1, log, role: APP_ROLE }));
  const probes = { control: probeOf('control'), sandbox: probeOf('sandbox'), live: probeOf('live') };
  const open = (name: keyof DatabaseUrls) => {
    const failed = (error: unknown) => probes[name].observe(error);
    return openPool({ url: urls[name], size, log, role: APP_ROLE, watch: watch?.(name), failed, circuit: name });
  };
  const [control, sandbox, live] = [open('control'), open('sandbox'), open('live')];
  const stateOf = async (name: keyof DatabaseUrls, pool: DbPool): Promise<DatabaseState> => {
    const state = await probes[name].state();
    // The database answers, but the pool provides no connections.
    return state === 'ok' && pool.circuit() !== 'closed' ? 'pool exhausted' : state;
  };
  return {
    use: () => ({ control: control.use(), sandbox: sandbox.use(), live: live.use() }),
    control,
    sandbox: wholeStore('sandbox', sandbox.seeing),
    live: wholeStore('live', live.seeing),
    states: async () => {
      const states = await Promise.all([stateOf('control', control), stateOf('sandbox', sandbox), stateOf('live', live)]);
      return { control: states[0], sandbox: states[1], live: states[2] };
    },
    reached: () => ({
      ...{ control: probes.control.answered_at, sandbox: probes.sandbox.answered_at, live: probes.live.answered_at },
    }),
    circuits: () => ({ control: control.circuit(), sandbox: sandbox.circuit(), live: live.circuit() }),
    close: async () => {
      await Promise.all([control, sandbox, live, ...Object.values(probes)].map((one) => one.close()));
    },
  };
}

function wholeStore(environment: Environment, seeing: (scope: Scope) => Db): WholeStore {
  const whole: WholeStore = {
    environment,
    db: seeing('all_teams'),
    get whole() {
      return whole;
    },
    of: (team_id) => ({ environment, db: seeing(team_id), whole }),
  };
  return whole;
}

/**
 * Returns the store for a batch: that of its team, or of all teams when one statement serves several teams. Splitting batches
 * by team would cancel most of the gain of batching with many merchants (docs/performance/post.md).
 */
export function partFor(whole: WholeStore, team_ids: readonly bigint[]): Store {
  const [first, ...others] = new Set(team_ids);
  return first === undefined || others.length > 0 ? whole : whole.of(first);
}
