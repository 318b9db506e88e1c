import pg from 'pg';
import { asUnavailable, DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { Log } from '../../kit/log.ts';
import { pgCode } from '../../kit/sql.ts';
import { Circuit, type Done } from './circuit.ts';
import { connectionTo, DbClient, openTrial } from './client.ts';
import { type Primary, TOO_MANY_CONNECTIONS } from './primary.ts';

/** SQLSTATE of a write on a standby, or on a server that has been demoted. */
export const READ_ONLY = '25006';
/** Minimum time between two replacements of all connections, so that reads continue while the only server is read-only. */
const RENEW_EVERY_MS = 5_000;

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

interface Settings extends pg.PoolConfig {
  max: number;
  onConnect(client: pg.ClientBase): Promise<void>;
}

/**
 * The driver's pool with three additions: it finds the primary among several hosts, rejects callers while its circuit is
 * open, and replaces all connections once the server has turned out to be read-only.
 */
export class ConnectionPool {
  readonly pool: pg.Pool;
  /** Null: every caller waits for a connection. */
  readonly circuit: Circuit | null;
  readonly #url: string;
  readonly #primary: Primary | undefined;
  readonly #max: number;
  readonly #connect: (connected: Connected) => void;
  readonly #made_at = new WeakMap<pg.PoolClient, number>();
  /** Connections made and not yet closed. */
  #open = 0;
  #renewed_at = Number.NEGATIVE_INFINITY;

  /** @param circuit name of the database in the log; undefined: no circuit */
  constructor(url: string, settings: Settings, log: Log, circuit: string | undefined) {
    const { connectionString, primary } = connectionTo(url);
    const config: object = { ...settings, connectionString, primary, Client: DbClient };
    this.pool = new pg.Pool(config);
    const counts = (error: DatabaseUnavailable) => !this.#worksWithout(error);
    this.circuit = circuit === undefined ? null : new Circuit(circuit, () => this.#trial(), log, counts);
    this.#url = url;
    this.#primary = primary;
    this.#max = settings.max;
    this.#connect = this.pool.connect.bind(this.pool) as (connected: Connected) => void;
    this.pool.on('connect', (client) => {
      this.#made_at.set(client, performance.now());
      this.#open += 1;
    });
    this.pool.on('remove', (client) => {
      if (this.#made_at.delete(client)) this.#open -= 1;
    });
    // The pool's own `query` obtains its connections by this method too.
    this.pool.connect = ((connected: Connected) =>
      this.#obtain((error, client) => connected(error, client, client?.release ?? (() => {})))) as pg.Pool['connect'];
  }

  /** Returns a connection, which the caller releases. */
  connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => this.#obtain((error, client) => (client ? resolve(client) : reject(error))));
  }

  /** Wraps a function that runs a statement, so that a demoted server is noticed. */
  noting<Input, Result>(send: (input: Input) => Promise<Result>): (input: Input) => Promise<Result> {
    return (input) =>
      send(input).catch((error) => {
        this.note(error);
        throw error;
      });
  }

  /** Examines the error of a statement. After a write on a read-only server, no connection made until now is used again. */
  note(error: unknown): void {
    const now = performance.now();
    if (pgCode(error) !== READ_ONLY || now - this.#renewed_at < RENEW_EVERY_MS) return;
    this.#renewed_at = now;
    this.#primary?.doubt();
  }

  close(): Promise<void> {
    this.circuit?.close();
    return this.pool.end();
  }

  #obtain(done: Done<pg.PoolClient>): void {
    const acquire = (acquired: Done<pg.PoolClient>) => this.#acquire(acquired, true);
    if (this.circuit) this.circuit.run(acquire, (late) => late.release(), done);
    else acquire(done);
  }

  /**
   * Tests whether the database can be reached, and whether the pool has connections for those who wait.
   * @throws when it cannot be reached within two seconds
   */
  async #trial(): Promise<void> {
    if (this.pool.waitingCount > 0 && this.#open >= this.#max) throw new Error('callers wait for a connection');
    await openTrial(this.#url, this.#primary).catch((error) => {
      if (!this.#worksWithout(error)) throw error;
    });
  }

  /** Returns whether the error only means that the server has no further connection for this pool. Its open connections still work. */
  #worksWithout(error: unknown): boolean {
    return pgCode(error) === TOO_MANY_CONNECTIONS && this.#open > 0;
  }

  /**
   * Obtains a connection that was made after the last renewal. At most every connection of the pool is replaced.
   * @param again whether a host that has failed leads to one more try
   */
  #acquire(done: Done<pg.PoolClient>, again: boolean): void {
    this.#connect((error, client) => {
      if (client && (this.#made_at.get(client) ?? 0) >= this.#renewed_at) {
        done(undefined, client);
      } else if (client) {
        client.release(true);
        this.#acquire(done, again);
      } else {
        const unavailable = asUnavailable(error) as Error;
        // The host that was the primary is gone, so one more try searches for another.
        const searches = again && this.#primary?.isSearching && unavailable instanceof DatabaseUnavailable;
        if (searches) this.#acquire(done, false);
        else done(unavailable);
      }
    });
  }
}
