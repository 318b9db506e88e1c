import type pg from 'pg';
import type { Manner, Sql } from '../../kit/sql.ts';
import { precededBy } from './driver.ts';

/** Rows that a statement can read and write: those of one team, or of all teams. */
export type Scope = bigint | 'all_teams';

/** Role whose policies give access to the rows of every team. */
export const ALL_TEAMS_ROLE = 'pirogue_all_teams';

/** The settings are local to a transaction and end with it. */
const SETTING = { one: 'pirogue.team', all: 'role' } as const;

/** Settings that make PostgreSQL keep the plan that a statement asks for. */
const PLANS = {
  usual: {},
  // These statements return rows in the order of an index. Forbidding sorts rules out the plans that read the whole table, which
  // look cheap while the statistics are of a smaller one. A plan for all values expects a tenth of the team's rows, enough for
  // PostgreSQL to compile it; a page has at most a hundred.
  one_plan: { plan_cache_mode: 'force_generic_plan', enable_sort: 'off', jit: 'off' },
  // These statements look up a batch of keys. What remains for a join is a loop of index lookups.
  by_key: {
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  },
} as const;

type Plan = keyof typeof PLANS;

/**
 * Maximum wait for a lock in a transaction of many callers: longer than the transactions of a busy database, and far below the
 * deadline of a statement, at which all of the callers would fail.
 */
const MAX_SHARED_LOCK_WAIT_MS = 2_000;

/** Settings of a transaction. */
const MANNERS: Record<Manner, object> = {
  by_key: PLANS.by_key,
  shared: { ...PLANS.by_key, lock_timeout: MAX_SHARED_LOCK_WAIT_MS },
};

const KINDS = Object.keys(SETTING) as (keyof typeof SETTING)[];
const PLAN_NAMES = Object.keys(PLANS) as Plan[];

const setterOf = (kind: keyof typeof SETTING, plan: Plan) => `pirogue_${kind}_${plan}`;

const SETTERS = KINDS.flatMap((kind) =>
  PLAN_NAMES.map((plan) => {
    const settings = Object.entries(PLANS[plan]).map(([name, value]) => `, set_config('${name}', '${value}', true)`);
    const text = `select set_config('${SETTING[kind]}', $1, true)${settings.join('')}`;
    return { name: setterOf(kind, plan), text, values: [kind === 'all' ? 'none' : ''] };
  }),
);

/**
 * Prepares the scope statements on a new connection. By the protocol, not by `prepare`: only then does PgBouncer prepare them on each
 * server connection.
 */
export async function prepareScopes(client: pg.ClientBase): Promise<void> {
  for (const setter of SETTERS) await client.query(setter);
}

/**
 * Returns a statement preceded by the statement that sets its scope, in one transaction and one round trip. This works on any
 * connection, including one that PgBouncer assigns per transaction, and needs no state per connection.
 */
export function scopedQuery(statement: Sql, scope: Scope): pg.Submittable {
  const { kind, value } = settingOf(scope);
  return precededBy({ name: setterOf(kind, planOf(statement)), values: [value] }, namedFor(scope, statement));
}

function planOf({ one_plan, by_key }: Sql): Plan {
  if (by_key) return 'by_key';
  return one_plan ? 'one_plan' : 'usual';
}

/** Returns SQL that begins a transaction with this scope in one round trip. */
export function beginScoped(scope: Scope, manner?: Manner): string {
  const { kind, value } = settingOf(scope);
  const settings = Object.entries({ [SETTING[kind]]: value, ...(manner && MANNERS[manner]) });
  return ['begin', ...settings.map(([name, setting]) => `set local ${name} = '${setting}'`)].join('; ');
}

/**
 * Names a statement per role and, inside transactions, per way of planning. A plan is kept for one role; under a shared name it
 * would be replanned each time the roles alternate on a connection. In a transaction by keys it must not be one that was made
 * in another.
 */
export function namedFor(scope: Scope, statement: Sql, manner?: Manner): Sql {
  if (!statement.name) return statement;
  const prefix = `${scope === 'all_teams' ? 'all ' : ''}${manner ? 'key ' : ''}`;
  return prefix === '' ? statement : { ...statement, name: `${prefix}${statement.name}` };
}

function settingOf(scope: Scope) {
  if (scope === 'all_teams') return { kind: 'all', value: ALL_TEAMS_ROLE } as const;
  // The value is inserted into SQL as text: BigInt throws on anything that is not a number.
  return { kind: 'one', value: String(BigInt(scope)) } as const;
}
