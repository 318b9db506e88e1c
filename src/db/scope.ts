import pg from 'pg';
import type { Sql } from '../kit/sql.ts';

/** Whose rows a statement can see and write: those of this team, or of all. */
export type Scope = bigint | 'all_teams';

/** The role whose policies let through the rows of every team. */
export const ALL_TEAMS_ROLE = 'pirogue_all_teams';

/** Both belong to one transaction and are gone with it. */
const SETTING = { one: 'pirogue.team', all: 'role' } as const;
const SAY = {
  one: { name: 'pirogue_team', text: `select set_config('${SETTING.one}', $1, true)` },
  all: { name: 'pirogue_role', text: `select set_config('${SETTING.all}', $1, true)` },
} as const;

interface Connection {
  bind(message: { statement: string; values: string[] }): void;
  execute(message: object): void;
}

/** The parts of the driver's class that take the answers apart. */
interface Handlers {
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (config: object) => Handlers;

/**
 * A statement that says first for which team it is. Both go out together with one Sync behind them, so they are one
 * transaction and one round trip: it fits any connection, also one that PgBouncer lends for a transaction, and nothing has
 * to be remembered of a connection.
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

/** Makes a new connection able to run scoped statements. */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  await client.query({ ...SAY.one, values: [''] });
  await client.query({ ...SAY.all, values: ['none'] });
}

/** For `pool.query`. */
export function scopedQuery(statement: Sql, scope: Scope): pg.Submittable {
  return new ScopedQuery(statement, scope) as unknown as pg.Submittable;
}

/** Begins a transaction of this scope, in one round trip. */
export function beginScoped(scope: Scope): string {
  const { name, value } = settingOf(scope);
  return `begin; set local ${name} = '${value}'`;
}

/** A plan is kept for one role: under the other it would be made again, each time the two take turns on a connection. */
export function namedFor(scope: Scope, statement: Sql): Sql {
  return scope === 'all_teams' && statement.name ? { ...statement, name: `all ${statement.name}` } : statement;
}

function settingOf(scope: Scope) {
  if (scope === 'all_teams') return { name: SETTING.all, say: SAY.all, value: ALL_TEAMS_ROLE };
  // BigInt throws at whatever is not a number: the text goes into SQL as it is.
  return { name: SETTING.one, say: SAY.one, value: String(BigInt(scope)) };
}
