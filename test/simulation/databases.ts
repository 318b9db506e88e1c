import { makeTemplates, startThrowaway, type ThrowawayServer } from '../../scripts/testing/cluster.ts';
import { connectClient, type DbClient } from '../../src/platform/db/client.ts';
import { storeStatistics } from './statistics.ts';
import { setDefaultTime } from './virtual-time.ts';

/** What would decide something by chance or by real time is off. */
const SETTINGS = {
  autovacuum: 'off',
  // Otherwise rows are marked as committed only once the log is written, which a timer does: where PostgreSQL puts later rows, and with it
  // the order of equal ones, would depend on the machine. Without fsync it costs little.
  synchronous_commit: 'on',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  max_parallel_workers_per_gather: '0',
  deadlock_timeout: '1h',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '100',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
  bgwriter_lru_maxpages: '0',
  synchronize_seqscans: 'off',
  // Nobody reads what the server would count and report of each statement.
  track_activities: 'off',
  track_counts: 'off',
  update_process_title: 'off',
};

export interface WorldDatabases {
  control: string;
  sandbox: string;
  live: string;
}

/** A PostgreSQL of this process alone: not even transactions of other databases can be seen in a world. */
export class Cluster implements AsyncDisposable {
  readonly #server: ThrowawayServer;
  readonly #client: DbClient;
  #worlds = 0;

  private constructor(server: ThrowawayServer, client: DbClient) {
    this.#server = server;
    this.#client = client;
  }

  static async start(): Promise<Cluster> {
    const server = await startThrowaway(SETTINGS);
    await makeTemplates(server);
    const client = await connectClient(server.url('postgres'));
    for (const name of ['template_control', 'template_store']) {
      await client.query(`alter database ${name} with allow_connections true`);
      await setDefaultTime(server.url(name));
      await storeStatistics(server.url(name));
      await client.query(`alter database ${name} with allow_connections false`);
    }
    return new Cluster(server, client);
  }

  get monitor(): string {
    return this.#server.url('postgres');
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** Databases for one world. */
  async open(start: number): Promise<WorldDatabases> {
    const prefix = `w${++this.#worlds}`;
    const templates = { control: 'template_control', sandbox: 'template_store', live: 'template_store' } as const;
    for (const [kind, template] of Object.entries(templates)) {
      await this.#client.query(`create database ${prefix}_${kind} template ${template} strategy file_copy`);
      await this.#client.query(`alter database ${prefix}_${kind} set simulation.now = '${start / 1000}'`);
    }
    const url = (kind: string) => this.#server.url(`${prefix}_${kind}`);
    return { control: url('control'), sandbox: url('sandbox'), live: url('live') };
  }

  async drop({ control, sandbox, live }: WorldDatabases): Promise<void> {
    for (const url of [control, sandbox, live]) {
      await this.#client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
    await this.#server[Symbol.asyncDispose]();
  }
}
