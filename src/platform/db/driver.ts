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
//   statements first. Their base methods build the result.
//
// pg's connection:
// - `bind({ statement, values })` and `execute({})` run a prepared statement in the unnamed portal.
//
// pg.Client:
// - `query(query, callback)` calls back with the error or the result of a submitted query.
// - With `pipeline: true`, `query()` sends at once, also while an earlier query has no answer; each has a Sync and an answer of its own, in
//   the order in which they were sent.
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

type Done = (error: Error | null, result: pg.QueryResult) => void;

/** A prepared statement of the connection, with its values. */
export interface Prepared {
  /** The name under which it was prepared on the connection. */
  name: string;
  values: string[];
}

/** A statement preceded by prepared ones, whose rows are ignored. */
class PrecededQuery extends DriverQuery {
  /** The statements that are sent before it. */
  readonly first: readonly Prepared[];
  #completed = 0;

  constructor(first: readonly Prepared[], statement: Sql) {
    super({ ...statement, queryMode: 'extended' });
    this.first = first;
  }

  override prepare(connection: Connection): void {
    for (const { name, values } of this.first) {
      connection.bind({ statement: name, values });
      connection.execute({});
    }
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#completed === this.first.length) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#completed === this.first.length) super.handleCommandComplete(message, connection);
    else this.#completed++;
  }
}

/**
 * Returns a statement that runs after prepared statements, in one transaction and one round trip: all are sent with a single
 * Sync. If one fails, those after it are not executed.
 */
export function precededBy(first: readonly Prepared[], statement: Sql): pg.Submittable {
  return new PrecededQuery(first, statement) as unknown as pg.Submittable;
}

/** Submits a query to a connection. The connection's own method returns the query itself instead of a promise. */
export function submitOn(client: pg.ClientBase, query: pg.Submittable): Promise<pg.QueryResult> {
  const submit = client.query.bind(client) as unknown as (query: pg.Submittable, done: Done) => void;
  return new Promise((resolve, reject) => submit(query, (error, result) => (error ? reject(error) : resolve(result))));
}

/** Submits a query to a pool. The types of pg-pool describe only queries whose rows are read one by one. */
export function submitTo(pool: pg.Pool, query: pg.Submittable): Promise<pg.QueryResult> {
  return pool.query(query) as unknown as Promise<pg.QueryResult>;
}
