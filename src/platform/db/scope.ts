import pg from 'pg';
import type { Sql } from '../../kit/sql.ts';

/** Rows that a statement can read and write: those of one team, or of all teams. */
export type Scope = bigint | 'all_teams';

/** Role whose policies give access to the rows of every team. */
export const ALL_TEAMS_ROLE = 'pirogue_all_teams';

/** Both settings are local to a transaction and end with it. */
const SETTING = { one: 'pirogue.team', all: 'role' } as const;
const SAY = {
  one: { name: 'pirogue_team', text: `select set_config('${SETTING.one}', $1, true)` },
  all: { name: 'pirogue_role', text: `select set_config('${SETTING.all}', $1, true)` },
} as const;

interface Connection {
  bind(message: { statement: string; values: string[] }): void;
  execute(message: object): void;
}

/** Methods of the driver's query class that handle responses. */
interface Handlers {
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (config: object) => Handlers;

/**
 * A statement preceded by a statement that sets its scope. Both are sent together with one Sync, so they are one transaction
 * and one round trip. This works on any connection, including one that PgBouncer assigns per transaction, and needs no state
 * per connection.
 */
class ScopedQuery extends DriverQuery {
  readonly #scope: Scope;
  #said = false;

  constructor(statement: Sql, scope: Scope) {
    super({ ...namedFor(scope, statement), queryMode: 'extended' });
    this.#scope = scope;
  }

  override prepare(connection: Connection): void {
    const { say, value } = settingOf(this.#scope);
    connection.bind({ statement: say.name, values: [value] });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#said) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#said) super.handleCommandComplete(message, connection);
    this.#said = true;
  }
}

/** Prepares the scope statements on a new connection. */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  await client.query({ ...SAY.one, values: [''] });
  await client.query({ ...SAY.all, values: ['none'] });
}

/** Returns a scoped statement for `pool.query`. */
export function scopedQuery(statement: Sql, scope: Scope): pg.Submittable {
  return new ScopedQuery(statement, scope) as unknown as pg.Submittable;
}

/** Returns SQL that begins a transaction with this scope in one round trip. */
export function beginScoped(scope: Scope): string {
  const { name, value } = settingOf(scope);
  return `begin; set local ${name} = '${value}'`;
}

/**
 * Names a statement per role. A plan is kept for one role; under a shared name it would be replanned each time the roles
 * alternate on a connection.
 */
export function namedFor(scope: Scope, statement: Sql): Sql {
  return scope === 'all_teams' && statement.name ? { ...statement, name: `all ${statement.name}` } : statement;
}

function settingOf(scope: Scope) {
  if (scope === 'all_teams') return { name: SETTING.all, say: SAY.all, value: ALL_TEAMS_ROLE };
  // The value is inserted into SQL as text: BigInt throws on anything that is not a number.
  return { name: SETTING.one, say: SAY.one, value: String(BigInt(scope)) };
}
