import type pg from 'pg';
import type { Manner, Sql } from '../../kit/sql.ts';
import { type Prepared, precededBy } from './driver.ts';

/** Rows that a statement can read and write: those of one team, or of all teams. */
export type Scope = bigint | 'all_teams';

/** Role whose policies give access to the rows of every team. */
export const ALL_TEAMS_ROLE = 'pirogue_all_teams';

/** The settings are local to a transaction and end with it. */
const SETTING = { one: 'pirogue.team', all: 'role' } as const;

// These statements look up a batch of keys. With these settings, only a loop of index lookups remains for a join.
const BY_KEY = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/**
 * Maximum wait for a lock in a transaction of several callers. It is longer than the transactions of a busy database, and far below
 * the deadline of a statement, at which all of the callers would fail.
 */
const MAX_SHARED_LOCK_WAIT_MS = 2_000;

/** Settings of a statement or a transaction. Most make PostgreSQL keep the intended plan. */
const MODES = {
  usual: {},
  // These statements return rows in the order of an index. Forbidding sorts rules out the plans that read the whole table, which
  // look cheap while the statistics are of a smaller one. A plan for all values expects a tenth of the team's rows, enough for
  // PostgreSQL to compile it; a page has at most a hundred.
  one_plan: { plan_cache_mode: 'force_generic_plan', enable_sort: 'off', jit: 'off' },
  by_key: BY_KEY,
  shared: { ...BY_KEY, lock_timeout: `${MAX_SHARED_LOCK_WAIT_MS}ms` },
} as const satisfies Record<string, Record<string, string>>;

type Mode = keyof typeof MODES;

const KINDS = Object.keys(SETTING) as (keyof typeof SETTING)[];
const MODE_NAMES = Object.keys(MODES) as Mode[];

/** Precedes the first statement of a transaction. */
export const BEGIN: Prepared = { name: 'pirogue_begin', values: [] };

const setterOf = (kind: keyof typeof SETTING, mode: Mode) => `pirogue_${kind}_${mode}`;

const SETTERS = KINDS.flatMap((kind) =>
  MODE_NAMES.map((mode) => {
    const settings = Object.entries(MODES[mode]).map(([name, value]) => `, set_config('${name}', '${value}', true)`);
    const text = `select set_config('${SETTING[kind]}', $1, true)${settings.join('')}`;
    return { name: setterOf(kind, mode), text, values: [kind === 'all' ? 'none' : ''] };
  }),
);

/**
 * Prepares the scope statements on a new connection. By the protocol, not by `prepare`: only then does PgBouncer prepare them on each
 * server connection.
 */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  for (const setter of SETTERS) await client.query(setter);
  await client.query({ name: BEGIN.name, text: 'begin' });
  await client.query('rollback');
}

/**
 * Returns a statement preceded by the statement that sets its scope, in one transaction and one round trip. This works on any
 * connection, including one that PgBouncer assigns per transaction, and needs no state per connection.
 */
export function scopedQuery(statement: Sql, scope: Scope): pg.Submittable {
  return precededBy([setting(scope, modeOf(statement))], namedFor(scope, statement));
}

function modeOf({ one_plan, by_key }: Sql): Mode {
  if (by_key) return 'by_key';
  return one_plan ? 'one_plan' : 'usual';
}

/**
 * Returns what precedes the first statement of a transaction, so that beginning it costs no round trip of its own.
 * @param scope null: no team
 */
export function beginning(scope: Scope | null, manner?: Manner): Prepared[] {
  return scope === null ? [BEGIN] : [BEGIN, setting(scope, manner ?? 'usual')];
}

/**
 * Names a statement per role and, inside transactions, per way of planning. A plan is kept for one role; under a shared name it
 * would be replanned each time the roles alternate on a connection. A transaction by keys must not use a plan that was made in
 * another kind of transaction.
 */
export function namedFor(scope: Scope, statement: Sql, manner?: Manner): Sql {
  if (!statement.name) return statement;
  const prefix = `${scope === 'all_teams' ? 'all ' : ''}${manner ? 'key ' : ''}`;
  return prefix === '' ? statement : { ...statement, name: `${prefix}${statement.name}` };
}

function setting(scope: Scope, mode: Mode): Prepared {
  if (scope === 'all_teams') return { name: setterOf('all', mode), values: [ALL_TEAMS_ROLE] };
  return { name: setterOf('one', mode), values: [String(scope)] };
}
