import { setTimeout as sleep } from 'node:timers/promises';
import { pgCode, sql } from '../kit/sql.ts';
import type { DbPool } from './pool.ts';

/**
 * What one database can do for this node. Only `unreachable` can be this node's own fault; the others befall every node of the
 * installation alike, so taking nodes out for them would leave none.
 */
export type DatabaseState = 'ok' | 'slow' | 'read-only' | 'writes fail' | 'no connection left' | 'unreachable';

/** Any number of balancers that probe cost one query in this time. */
const FRESH_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2_000;
/** A database that is silent for longer counts as unreachable instead of slow. */
const SILENCE_MS = 10_000;
/** A write that failed for want of space or of a primary says so for this long. */
const WRITES_FAIL_MS = 30_000;

const TOO_MANY_CONNECTIONS = '53300';
const WRITE_FAILURES = new Set([
  '53100', // disk_full
  '58030', // io_error
  '25006', // read_only_sql_transaction
]);

/** Watches one database over a connection of its own: requests that fill the pool do not make it look away. */
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

  /** Learns from the errors of the statements that requests and background work send. */
  observe(error: unknown): void {
    if (WRITE_FAILURES.has(pgCode(error) ?? '')) this.#write_failed_at = performance.now();
  }

  /** Answers within two seconds. */
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
    // The second try is for a connection that was lost since the last one.
    const state = await this.#read().catch(() => this.#read().catch(stateOf));
    if (state !== 'unreachable') this.#answered_at = performance.now();
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
  return pgCode(error) === TOO_MANY_CONNECTIONS ? 'no connection left' : 'unreachable';
}
