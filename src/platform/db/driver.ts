import pg from 'pg';
import type { Sql } from '../../kit/sql.ts';

// The only file that relies on undocumented behaviour of the driver: of pg 8 and its pg-pool 3. test/db/driver.test.ts has a
// test for each behaviour listed below, so that an upgrade that changes one fails under its name.
//
// pg.Query:
// - A class that extends it is accepted by `query()`.
// - With `queryMode: 'extended'`, `prepare(connection)` is called exactly once, whether or not there are values.
// - `prepare` ends with the only Sync. Messages written before it are executed before the statement, in its transaction.
// - `handleDataRow` and `handleCommandComplete` are called for each message in the order of arrival, those of the preceding
//   statement first. Their base methods build the result.
//
// pg's connection:
// - `bind({ statement, values })` and `execute({})` run a prepared statement in the unnamed portal.
//
// pg.Pool:
// - `query()` returns a promise of the result for any submitted query, and releases the connection also after an error.
// - `query_timeout` applies to a submitted query.
// - `onConnect` is awaited before a new connection runs its first statement.

/** The methods of pg's connection that send a message. */
interface Connection {
  bind(message: { statement: string; values: string[] }): void;
  execute(message: object): void;
}

/** The methods of `pg.Query` that send a statement and handle its responses. */
interface QueryHooks {
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (config: object) => QueryHooks;

/** A prepared statement of the connection, with its values. */
export interface Prepared {
  /** The name under which it was prepared on the connection. */
  name: string;
  values: string[];
}

/** A statement preceded by a prepared one, whose rows are ignored. */
class PrecededQuery extends DriverQuery {
  readonly #first: Prepared;
  #first_is_complete = false;

  constructor(first: Prepared, statement: Sql) {
    super({ ...statement, queryMode: 'extended' });
    this.#first = first;
  }

  override prepare(connection: Connection): void {
    connection.bind({ statement: this.#first.name, values: this.#first.values });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#first_is_complete) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#first_is_complete) super.handleCommandComplete(message, connection);
    this.#first_is_complete = true;
  }
}

/**
 * Returns a statement that runs after a prepared statement, in one transaction and one round trip: both are sent with a single
 * Sync. If the first fails, the second is not executed.
 */
export function precededBy(first: Prepared, statement: Sql): pg.Submittable {
  return new PrecededQuery(first, statement) as unknown as pg.Submittable;
}

/** Submits a query to a pool. The types of pg-pool describe only queries whose rows are read one by one. */
export function submitTo(pool: pg.Pool, query: pg.Submittable): Promise<pg.QueryResult> {
  return pool.query(query) as unknown as Promise<pg.QueryResult>;
}
