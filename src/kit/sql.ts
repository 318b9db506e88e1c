import { createHash } from 'node:crypto';

/** A statement with its values. `name` makes PostgreSQL keep the plan: only statements whose texts are few have one. */
export interface Sql {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Whatever statements can be sent to: a pool or one open transaction. */
export interface Queryable {
  /** All rows. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /** The single row, or undefined; more than one is a broken promise and throws. */
  maybe<Row>(statement: Sql): Promise<Row | undefined>;
  /** Number of rows touched. */
  run(statement: Sql): Promise<number>;
}

/** One open transaction. The edge opens and commits it; what is inside only takes it (STYLE.md). */
export interface Tx extends Queryable {
  readonly inTransaction: true;
}

/** One store's database. */
export interface Db extends Queryable {
  /** Runs `work` in a transaction; a deadlock or serialisation failure is tried again, at most three times. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

const names = new WeakMap<TemplateStringsArray, Map<string, string>>();

/**
 * The tag that writes SQL: values become parameters, nested statements are woven in. A text in which only fixed parts
 * are woven is prepared once per connection under a name made from its hash: planning the statement of POST /payments
 * costs more than running it (docs/performance.md). Woven-in conditions with values vary without end, so such a text
 * is planned each time.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  const values: unknown[] = [];
  let varies = false;
  const weave = (texts: readonly string[], holes: readonly unknown[], nested: boolean): string =>
    texts.reduce((text, next, i) => {
      const hole = holes[i - 1];
      if (hole === PLANNED_EACH_TIME) varies = true;
      if (hole instanceof Fragment) return text + weave(hole.texts, hole.holes, true) + next;
      varies ||= nested;
      values.push(hole);
      return `${text}$${values.length}${next}`;
    });
  const text = weave(strings, parts, false);
  return varies ? { text, values } : { name: nameOf(strings, text), text, values };
}

/** One place in the source has as many texts as there are combinations of the fixed parts it is given. */
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

  constructor(texts: readonly string[], holes: readonly unknown[]) {
    this.texts = texts;
    this.holes = holes;
  }
}

/** A piece of SQL to be woven into {@link sql}. */
export function part(strings: TemplateStringsArray, ...holes: unknown[]): Fragment {
  return new Fragment(strings, holes);
}

/** SQL text fixed at load time (shared CTEs, identifiers): never anything a caller sent. */
export function fixed(text: string): Fragment {
  return new Fragment([text], []);
}

/**
 * Woven into a statement: it is not prepared. For claims of due rows: PostgreSQL would keep a plan made while the table was
 * small (a sequential scan) and walk the whole backlog with it once the table has grown, until the next analyze.
 */
export const PLANNED_EACH_TIME = new Fragment([''], []);

/** Conditions joined by `and`; `true` when there are none. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  if (conditions.length === 0) return fixed('true');
  return conditions.reduce((left, right) => part`${left} and ${right}`);
}

export type { Fragment };

/** PostgreSQL's error code, when the error came from it. */
export function pgCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The violated constraint or unique index, when there is one. */
export function pgConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined;
}

export const UNIQUE_VIOLATION = '23505';
export const CHECK_VIOLATION = '23514';
