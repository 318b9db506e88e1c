import { setTimeout as sleep } from 'node:timers/promises';
import { pgCode, sql } from '../../kit/sql.ts';
import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';
import type { DbPool } from './pool.ts';
import { NoPrimary, TOO_MANY_CONNECTIONS } from './primary.ts';

/**
 * Health of one database as seen from this node. `unreachable` and `no primary` can be specific to this node; only a comparison with
 * other nodes shows it. The other states affect every node of the installation.
 */
export type DatabaseState =
  | 'ok'
  | 'slow'
  | 'read-only'
  | 'writes fail'
  | 'no connection left'
  | 'pool exhausted'
  | 'no primary'
  | 'unreachable';

/** Cache lifetime: any number of load balancer probes costs one query in this time. */
const FRESH_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** A database that does not respond for longer counts as unreachable instead of slow. */
const SILENCE_MS = 10_000;
/** After a write failed because the disk was full or the server was a standby, `writes fail` is reported for this long. */
const WRITES_FAIL_MS = 30_000;

const WRITE_FAILURES = new Set([
  '53100', // disk_full
  '58030', // io_error
  '25006', // read_only_sql_transaction
]);

/** Monitors one database over a dedicated connection, so that requests that exhaust the pool do not block the probe. */
export class Probe {
  readonly #pool: DbPool;
  #known: { state: DatabaseState; at: number } | undefined;
  #asking: Promise<DatabaseState> | undefined;
  #answered_at = Number.NEGATIVE_INFINITY;
  #write_failed_at = Number.NEGATIVE_INFINITY;

  /** @param pool of one connection, as the service's role */
  constructor(pool: DbPool) {
    this.#pool = pool;
  }

  /** Time of the last response of the database, on the monotonic clock. */
  get answered_at(): number {
    return this.#answered_at;
  }

  /** Records the error of a statement sent by a request or a background worker. */
  observe(error: unknown): void {
    if (WRITE_FAILURES.has(pgCode(error) ?? '')) this.#write_failed_at = performance.now();
  }

  /** Returns the state within two seconds. */
  async state(): Promise<DatabaseState> {
    if (this.#known && performance.now() - this.#known.at < FRESH_MS) return this.#judge(this.#known.state);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#judge(await Promise.race([this.#asking, this.#overdue()]));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #judge(state: DatabaseState): DatabaseState {
    return state === 'ok' && performance.now() - this.#write_failed_at < WRITES_FAIL_MS ? 'writes fail' : state;
  }

  async #overdue(): Promise<DatabaseState> {
    await sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false });
    return performance.now() - this.#answered_at < SILENCE_MS ? 'slow' : 'unreachable';
  }

  async #ask(): Promise<DatabaseState> {
    // The second try covers a connection that was lost since the last probe.
    const state = await this.#read().catch(() => this.#read().catch(stateOf));
    if (state !== 'unreachable' && state !== 'no primary') this.#answered_at = performance.now();
    this.#known = { state, at: performance.now() };
    return state;
  }

  async #read(): Promise<DatabaseState> {
    const row = await this.#pool.maybe<{ read_only: boolean }>(sql`
      select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only`);
    return row?.read_only ? 'read-only' : 'ok';
  }
}

function stateOf(error: unknown): DatabaseState {
  if (pgCode(error) === TOO_MANY_CONNECTIONS) return 'no connection left';
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return cause instanceof NoPrimary && cause.standby_answered ? 'no primary' : 'unreachable';
}
