import type { DatabaseUrls } from '../config.ts';
import type { Environment } from '../kit/environment.ts';
import type { Log } from '../kit/log.ts';
import type { Db } from '../kit/sql.ts';
import { type DatabaseState, Probe } from './probe.ts';
import { APP_ROLE, openPool, type PoolOptions, type PoolUse } from './pool.ts';
import type { Scope } from './scope.ts';

/** One environment's data: handed out by the key presented, never joined with the other. */
export interface Store {
  readonly environment: Environment;
  /** Sees and writes what belongs to the team the store was opened for, and nothing else (row-level security). */
  readonly db: Db;
  /** Of which store this is a part, for work that many teams share: a test lists who asks (test/tenants/handles.test.ts). */
  readonly whole?: WholeStore;
}

/** A store of all teams: for background work and operators. Whoever serves one caller, payer or provider asks for its part. */
export interface WholeStore extends Store {
  /** The part of this team. */
  of(team_id: bigint): Store;
}

export interface Stores {
  /** Teams and keys; read-only on the API path. */
  readonly control: Db;
  readonly sandbox: WholeStore;
  readonly live: WholeStore;
  /** What each database can do for this node, for readiness. */
  states(): Promise<Record<keyof DatabaseUrls, DatabaseState>>;
  close(): Promise<void>;
}

/** What our own pools can tell beside. */
export interface OpenStores extends Stores {
  use(): Record<keyof DatabaseUrls, PoolUse>;
}

/** Returns the most connections one process opens: a pool and a probe for each of the three databases, and one for the clock. */
export function connectionsOf(database_pool: number): number {
  return 3 * (database_pool + 1) + 1;
}

/** @param watch what is told of each statement of a database */
export function openStores(
  urls: DatabaseUrls,
  size: number,
  log: Log,
  watch?: (database: keyof DatabaseUrls) => PoolOptions['watch'],
): OpenStores {
  // As the application role; connections are made when first needed.
  const probeOf = (name: keyof DatabaseUrls) => new Probe(openPool({ url: urls[name], size: 1, log, role: APP_ROLE }));
  const probes = { control: probeOf('control'), sandbox: probeOf('sandbox'), live: probeOf('live') };
  const open = (name: keyof DatabaseUrls) => {
    const failed = (error: unknown) => probes[name].observe(error);
    return openPool({ url: urls[name], size, log, role: APP_ROLE, watch: watch?.(name), failed });
  };
  const [control, sandbox, live] = [open('control'), open('sandbox'), open('live')];
  return {
    use: () => ({ control: control.use(), sandbox: sandbox.use(), live: live.use() }),
    control,
    sandbox: wholeStore('sandbox', sandbox.seeing),
    live: wholeStore('live', live.seeing),
    states: async () => {
      const states = await Promise.all([probes.control.state(), probes.sandbox.state(), probes.live.state()]);
      return { control: states[0], sandbox: states[1], live: states[2] };
    },
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
 * For a batch: the part of its team, or the whole store when what several teams want goes out in one statement. To split such
 * batches by team would cost most of what batching gains a service with many merchants (docs/performance.md).
 */
export function partFor(whole: WholeStore, team_ids: readonly bigint[]): Store {
  const [first, ...others] = new Set(team_ids);
  return first === undefined || others.length > 0 ? whole : whole.of(first);
}
