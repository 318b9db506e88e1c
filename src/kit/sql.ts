import { createHash } from 'node:crypto';

/** A statement with its values. With a `name`, PostgreSQL keeps the plan; only statements with few distinct texts have one. */
export interface Sql {
  readonly name?: string;
  /** Whether one plan serves all values ({@link ONE_PLAN}). */
  readonly one_plan?: boolean;
  /** Whether it reaches its rows by keys ({@link BY_KEY}). */
  readonly by_key?: boolean;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Target for statements: a pool or one open transaction. */
export interface Queryable {
  /** Returns all rows. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /**
   * Returns the single row, or undefined.
   * @throws when there is more than one row
   */
  maybe<Row>(statement: Sql): Promise<Row | undefined>;
  /** Returns the number of affected rows. */
  run(statement: Sql): Promise<number>;
}

/** One open transaction. The edge opens and commits it; inner code only receives it (STYLE.md). */
export interface Tx extends Queryable {
  readonly inTransaction: true;
}

/** Ways in which a transaction may run its statements. */
export type Manner = 'by_key' | 'shared';

/** Database of one environment. */
export interface Db extends Queryable {
  /**
   * Runs `work` in a transaction. A deadlock or serialisation failure is retried, up to three times. The transaction begins with the
   * first statement, which has to be a single command; a statement that is sent after `work` has ended is rejected.
   * @param manner `by_key`: all its statements reach their rows by keys ({@link BY_KEY}). `shared`: the same, and a statement fails
   * with {@link LOCK_NOT_AVAILABLE} instead of waiting long for a lock; for work that serves several callers at once
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, manner?: Manner): Promise<T>;
}

const names = new WeakMap<TemplateStringsArray, Map<string, string>>();

type Hints = Pick<Sql, 'one_plan' | 'by_key'>;

/** The last text of one template in the source. Only kept when none of its values comes from a fragment. */
interface Woven extends Hints {
  name: string;
  text: string;
  /** The content of each hole: a fragment, or null for a value. */
  fragments: readonly (Fragment | null)[];
}

const woven = new WeakMap<TemplateStringsArray, Woven>();

/**
 * Template tag for SQL: values become parameters, nested fragments are inserted. A text made of fixed parts only is prepared
 * once per connection, under a name derived from its hash: planning the statement of POST /payments costs more than running it
 * (docs/performance.md). Fragments made by {@link part} with values have unlimited variants, so a text with one is planned on
 * every execution. Fragments made by {@link clause} have few, and do not prevent preparation.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  const known = woven.get(strings);
  if (known && parts.every((hole, i) => (hole instanceof Fragment ? hole : null) === known.fragments[i])) {
    const { fragments: _, ...statement } = known;
    return { ...statement, values: parts.filter((hole) => !(hole instanceof Fragment)) };
  }
  return weave(strings, parts);
}

function weave(strings: TemplateStringsArray, parts: readonly unknown[]): Sql {
  const values: unknown[] = [];
  let varies = false;
  const hints: { one_plan?: true; by_key?: true } = {};
  const join = (texts: readonly string[], holes: readonly unknown[], variant: boolean): string =>
    texts.reduce((text, next, i) => {
      const hole = holes[i - 1];
      if (hole === PLANNED_EACH_TIME) varies = true;
      if (hole === ONE_PLAN) hints.one_plan = true;
      if (hole === BY_KEY) hints.by_key = true;
      if (hole instanceof Fragment) return text + join(hole.texts, hole.holes, variant || hole.varies) + next;
      varies ||= variant;
      values.push(hole);
      return `${text}$${values.length}${next}`;
    });
  const text = join(strings, parts, false);
  if (varies) return { text, values };
  const statement = { name: nameOf(strings, text), ...hints, text };
  const fragments = parts.map((hole) => (hole instanceof Fragment ? hole : null));
  const isOwn = values.length === fragments.filter((fragment) => fragment === null).length;
  if (isOwn) woven.set(strings, { ...statement, fragments });
  return { ...statement, values };
}

/** Returns the name of a statement. A template in the source has one text for each combination of its fixed fragments. */
function nameOf(strings: TemplateStringsArray, text: string): string {
  let known = names.get(strings);
  if (!known) {
    known = new Map();
    names.set(strings, known);
  }
  let name = known.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url');
    known.set(text, name);
  }
  return name;
}

class Fragment {
  readonly texts: readonly string[];
  readonly holes: readonly unknown[];
  readonly varies: boolean;

  constructor(texts: readonly string[], holes: readonly unknown[], varies: boolean) {
    this.texts = texts;
    this.holes = holes;
    this.varies = varies;
  }
}

/** SQL fragment for {@link sql}. With values, the statement is planned on every execution. */
export function part(strings: TemplateStringsArray, ...holes: unknown[]): Fragment {
  return new Fragment(strings, holes, true);
}

/**
 * SQL fragment for {@link sql} that occurs in few combinations and whose best plan does not depend on its values, such as
 * `team_id = …` or the position of a page. The statement is prepared; never for ranges or patterns.
 */
export function clause(strings: TemplateStringsArray, ...holes: unknown[]): Fragment {
  return new Fragment(strings, holes, false);
}

/** The key of a row of a team. */
export interface RowKey {
  team_id: bigint;
  id: string;
}

/**
 * Returns the condition of rows by a batch of primary keys. A single key is compared directly: for a list, PostgreSQL would plan the
 * statement on every execution, because its plan for lists of unknown length costs more. Planning takes longer than reading the row.
 */
export function amongKeys(keys: readonly RowKey[]): Fragment {
  const [first] = keys;
  if (first && keys.length === 1) return clause`team_id = ${first.team_id} and id = ${first.id}`;
  return clause`(team_id, id) in (select * from unnest(${keys.map((key) => key.team_id)}::bigint[], ${keys.map((key) => key.id)}::text[]))`;
}

/** SQL text fixed at load time (shared CTEs, identifiers). Never for anything sent by a caller. */
export function fixed(text: string): Fragment {
  return new Fragment([text], [], false);
}

/**
 * Name of a table or column, from a declaration in the code (kit/personal.ts).
 * @throws when it is not a plain name
 */
export function identifier(name: string): Fragment {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`impossible: ${JSON.stringify(name)} as the name of a table or column`);
  return fixed(`"${name}"`);
}

/**
 * Prevents the preparation of a statement. For claims of due rows: PostgreSQL would keep a plan made while the table was
 * small (a sequential scan) and scan the whole backlog with it after the table has grown, until the next analyze.
 */
export const PLANNED_EACH_TIME = new Fragment([''], [], false);

/**
 * Has a statement planned once for all values. By default PostgreSQL plans a statement on every execution when its cost depends
 * on a limit or a range, which takes longer than reading a page. For statements that return rows in the order of an index
 * on exactly their conditions: the same plan is then best for all values. Only outside of transactions.
 */
export const ONE_PLAN = new Fragment([''], [], false);

/**
 * Has a statement planned once for all values, with index lookups for all joins. For statements that receive a batch of keys and reach
 * each row by one of them. By default PostgreSQL keeps the plan that suited the table while it was small, and then reads the whole table
 * for each batch. Not for statements that join two sets of a batch by equality: each row of one would be compared with each row of
 * the other. Only outside of transactions, which have a setting for all of their statements ({@link Db.transaction}).
 */
export const BY_KEY = new Fragment([''], [], false);

/** Joins conditions by `and`; returns `true` when there are none. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  if (conditions.length === 0) return fixed('true');
  return conditions.reduce((left, right) => clause`${left} and ${right}`);
}

/** Joins fragments by commas. */
export function listOf(parts: readonly Fragment[]): Fragment {
  return parts.reduce((left, right) => clause`${left}, ${right}`);
}

export type { Fragment };

/** Returns PostgreSQL's error code when the error came from PostgreSQL. */
export function pgCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the violated constraint or unique index, if any. A partition reports its own part of it (`payments_3_pkey`); the name for
 * the whole table is returned (`payments_pkey`).
 */
export function pgConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error && 'constraint' in error && typeof error.constraint === 'string')) return undefined;
  const { constraint } = error;
  const partition = 'table' in error && typeof error.table === 'string' ? error.table : '';
  const [, parent] = /^(\w+)_\d+$/.exec(partition) ?? [];
  return parent && constraint.startsWith(`${partition}_`) ? `${parent}${constraint.slice(partition.length)}` : constraint;
}

export const UNIQUE_VIOLATION = '23505';
export const CHECK_VIOLATION = '23514';
/** SQLSTATE of a statement that was cancelled at its deadline. */
export const QUERY_CANCELED = '57014';
/** SQLSTATE of a statement that did not get a lock in time. */
export const LOCK_NOT_AVAILABLE = '55P03';
