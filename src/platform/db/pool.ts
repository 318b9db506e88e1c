import pg from 'pg';
import { asUnavailable } from '../../kit/database-unavailable.ts';
import { type Db, type Manner, pgCode, type Queryable, type Sql, type Tx } from '../../kit/sql.ts';
import type { Log } from '../../kit/log.ts';
import type { CircuitState } from './circuit.ts';
import { type Prepared, precededBy, submitOn, submitTo } from './driver.ts';
import { ConnectionPool, READ_ONLY } from './connection-pool.ts';
import { beginning, namedFor, prepareScopes, type Scope, scopedQuery } from './scope.ts';

const INT8 = 20;
// Money and counters must be exact: int8 becomes a bigint, not a rounded number and not a string that `+` would concatenate.
pg.types.setTypeParser(INT8, (text) => BigInt(text));

/** Role of the program. The owner is only for migrations and the command line. */
export const APP_ROLE = 'pirogue_app';

/** Timeout for obtaining a connection: long enough for a hundred requests that wait for one row. */
const WAIT_MS = 10_000;
/**
 * How long an unused connection stays open. A new connection has to prepare and plan each statement: with the driver's default of ten
 * seconds, the first payment after a pause took PostgreSQL 20 ms more. Keep-alive (client.ts) detects peers that have disappeared.
 */
const IDLE_MS = 300_000;
const STATEMENT_MS = 15_000;
/**
 * The server ends a statement at `statement_timeout`. After this multiple of it, the server is considered gone and the client
 * gives up.
 */
const SILENCE = 1.5;
const IDLE_IN_TRANSACTION_MS = 30_000;
const MAX_TRIES = 3;
const DEADLOCK = '40P01';
const SERIALISATION_FAILURE = '40001';
/** SQLSTATE of a statement behind one that failed, in the same transaction. */
const IN_FAILED_TRANSACTION = '25P02';
/** Message of the driver when a statement has no response. */
const READ_TIMEOUT = 'Query read timeout';

export interface PoolOptions {
  url: string;
  size: number;
  log: Log;
  /** Deadline of one statement in milliseconds. The default suits requests; the command line reads whole ledgers. */
  statement_ms?: number;
  /** Called before each statement; the returned function is called after it. */
  watch?: ((statement: Sql) => ((error?: unknown) => void) | null) | undefined;
  /** Called with the error of each failed statement. */
  failed?: (error: unknown) => void;
  /** Role to assume. Default: the user of the URL. */
  role?: string;
  /** Name of the database in the log. Present: callers are rejected at once while the database is unavailable. */
  circuit?: string;
}

/**
 * A pool that is also a {@link Db}. Every wait has a deadline: for a connection, a statement, an idle transaction. Without a
 * scope it represents no team: as the application role, every table with a `team_id` in an environment's database appears
 * empty.
 */
export interface DbPool extends Db {
  /** Returns a view on the same connections whose statements read and write only rows within the scope. */
  seeing(scope: Scope): Db;
  use(): PoolUse;
  /** State of the circuit; `closed` without one. */
  circuit(): CircuitState;
  close(): Promise<void>;
}

/** Busy and idle connections, callers that wait for one, and the maximum number of connections. */
export interface PoolUse {
  busy: number;
  idle: number;
  waiting: number;
  most: number;
}

/** Opens a pool. Connections are made when first needed. */
export function openPool(options: PoolOptions): DbPool {
  const statement_ms = options.statement_ms ?? STATEMENT_MS;
  const settings = [
    `statement_timeout=${statement_ms}`,
    `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    ...(options.role ? [`role=${options.role}`] : []),
  ];
  const parameters = {
    max: options.size,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: statement_ms * SILENCE,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    application_name: 'pirogue',
    // Statements of a transaction that are sent without waiting for each other (`Promise.all`) share a round trip.
    pipeline: true,
    onConnect: prepareScopes,
  };
  const connections = new ConnectionPool(options.url, parameters, options.log, options.circuit);
  const { pool } = connections;
  let closing = false;
  pool.on('error', (err) => {
    // During shutdown the server may disconnect first. Otherwise the pool replaces the connection when it needs one.
    if (!closing) options.log.warn({ err }, 'an idle database connection was lost');
  });
  const watch = watchOf(options);
  return {
    ...queries(
      connections.noting((statement) => pool.query(statement as pg.QueryConfig)),
      watch,
    ),
    transaction: (work) => retried(() => inTransaction(connections, null, work, watch)),
    seeing: (scope) => ({
      ...queries(
        connections.noting((statement) => submitTo(pool, scopedQuery(statement, scope))),
        watch,
      ),
      transaction: (work, manner) => retried(() => inTransaction(connections, scope, work, watch, manner)),
    }),
    use: () => {
      const { totalCount, idleCount, waitingCount } = pool;
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.size };
    },
    circuit: () => connections.circuit?.state ?? 'closed',
    close: () => {
      closing = true;
      return connections.close();
    },
  };
}

function queries(plain: Plain, watch: PoolOptions['watch']): Queryable {
  const known: Plain = (statement) => plain(statement).catch(rethrow);
  const send = watch ? watched(known, watch) : known;
  return {
    all: async <Row>(statement: Sql) => (await send(statement)).rows as Row[],
    maybe: async <Row>(statement: Sql) => {
      const { rows } = await send(statement);
      if (rows.length > 1) throw new Error('impossible: more than one row');
      return rows[0] as Row | undefined;
    },
    run: async (statement) => (await send(statement)).rowCount ?? 0,
  };
}

/** Combines the two listeners of {@link PoolOptions} into one. */
function watchOf({ watch, failed }: PoolOptions): PoolOptions['watch'] {
  if (!failed) return watch;
  return (statement) => {
    const over = watch?.(statement);
    return (error) => {
      over?.(error);
      if (error !== undefined) failed(error);
    };
  };
}

type Plain = (statement: Sql) => Promise<pg.QueryResult>;

function rethrow(error: unknown): never {
  throw asUnavailable(error);
}

function watched(plain: Plain, watch: NonNullable<PoolOptions['watch']>): Plain {
  return async (statement) => {
    const over = watch(statement);
    if (!over) return plain(statement);
    try {
      const result = await plain(statement);
      over();
      return result;
    } catch (error) {
      over(error);
      throw error;
    }
  };
}

/**
 * The server answered COMMIT with ROLLBACK, which it does not report as an error: an earlier statement failed and the work
 * continued regardless. `code` is that of the failed statement, so that a deadlock is retried even when the work swallowed its
 * error.
 */
class TransactionRolledBack extends Error {
  readonly code: string | undefined;

  constructor(command: string, failure: unknown) {
    super(`the transaction was rolled back (${command} in answer to COMMIT): the error of a statement was swallowed`, {
      cause: failure,
    });
    this.code = pgCode(failure);
  }
}

async function inTransaction<T>(
  pool: ConnectionPool,
  scope: Scope | null,
  work: (tx: Tx) => Promise<T>,
  watch: PoolOptions['watch'],
  manner?: Manner,
): Promise<T> {
  const client = await pool.connect().catch(rethrow);
  let broken: Error | undefined;
  // The first error that the server reported. `work` may throw the error of a later statement.
  let failure: unknown;
  let refused: Error | undefined;
  const noted = (error: unknown): never => {
    if (failure === undefined || cannotBeReused(error)) failure = error;
    if (pgCode(error) === IN_FAILED_TRANSACTION) refused = error as Error;
    throw error;
  };
  // Sent with the first statement. Further statements of `work` are sent after it without waiting for its response.
  let first: Prepared[] | null = beginning(scope, manner);
  let over = false;
  try {
    const send: Plain = (statement) => {
      if (over) return Promise.reject(new Error('impossible: a statement after the end of its transaction'));
      const named = scope === null ? statement : namedFor(scope, statement, manner);
      const before = first;
      first = null;
      return (before ? submitOn(client, precededBy(before, named)) : client.query(named as pg.QueryConfig)).catch(noted);
    };
    const result = await work({ ...queries(send, watch), inTransaction: true });
    over = true;
    if (first) return result;
    const { command } = await client.query('commit').catch(noted).catch(rethrow);
    if (command !== 'COMMIT') throw new TransactionRolledBack(command, failure);
    return result;
  } catch (error) {
    // Statements that `work` still sends after a failed one must not run after the rollback.
    over = true;
    broken = cannotBeReused(failure) ? (failure as Error) : first ? undefined : await rollback(client);
    // PgBouncer may have registered a statement name that PostgreSQL rejected, so the connection is not reused.
    broken ??= refused;
    pool.note(failure);
    if (pgCode(error) === IN_FAILED_TRANSACTION && failure !== undefined) throw asUnavailable(failure);
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Returns whether the connection is closed instead of rolled back: the server does not respond, so a rollback would wait as
 * long again, or it is no longer the primary.
 */
function cannotBeReused(failure: unknown): boolean {
  return (failure instanceof Error && failure.message === READ_TIMEOUT) || pgCode(failure) === READ_ONLY;
}

/**
 * Rolls back.
 * @returns the error when the connection cannot be reused
 */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function retried<T>(once: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once();
    } catch (error) {
      const code = pgCode(error);
      if (attempt === MAX_TRIES || (code !== DEADLOCK && code !== SERIALISATION_FAILURE)) throw error;
    }
  }
}
