import type pg from 'pg';
import type { Sql } from '../../kit/sql.ts';
import { precededBy } from './driver.ts';

/** Rows that a statement can read and write: those of one team, or of all teams. */
export type Scope = bigint | 'all_teams';

/** Role whose policies give access to the rows of every team. */
export const ALL_TEAMS_ROLE = 'pirogue_all_teams';

/** The settings are local to a transaction and end with it. */
const SETTING = { one: 'pirogue.team', all: 'role' } as const;
const SETTERS = {
  one: { name: 'pirogue_team', text: `select set_config('${SETTING.one}', $1, true)` },
  one_plan: {
    name: 'pirogue_team_one_plan',
    // These statements return rows in the order of an index. Forbidding sorts rules out the plans that read the whole table, which
    // look cheap while the statistics are of a smaller one. A plan for all values expects a tenth of the team's rows, enough for
    // PostgreSQL to compile it; a page has at most a hundred.
    text: `select set_config('${SETTING.one}', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`,
  },
  all: { name: 'pirogue_role', text: `select set_config('${SETTING.all}', $1, true)` },
} as const;

/** Prepares the scope statements on a new connection. */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  await client.query({ ...SETTERS.one, values: [''] });
  await client.query({ ...SETTERS.one_plan, values: [''] });
  await client.query({ ...SETTERS.all, values: ['none'] });
}

/**
 * Returns a statement preceded by the statement that sets its scope, in one transaction and one round trip. This works on any
 * connection, including one that PgBouncer assigns per transaction, and needs no state per connection.
 */
export function scopedQuery(statement: Sql, scope: Scope): pg.Submittable {
  const { setter, value } = settingOf(scope);
  const { name } = statement.one_plan && setter === SETTERS.one ? SETTERS.one_plan : setter;
  return precededBy({ name, values: [value] }, namedFor(scope, statement));
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
  if (scope === 'all_teams') return { name: SETTING.all, setter: SETTERS.all, value: ALL_TEAMS_ROLE };
  // The value is inserted into SQL as text: BigInt throws on anything that is not a number.
  return { name: SETTING.one, setter: SETTERS.one, value: String(BigInt(scope)) };
}
