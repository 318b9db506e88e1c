import { createHash } from 'node:crypto';

/** A statement with its values. `name` makes PostgreSQL keep the plan: only statements whose text never varies have one. */
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

const names = new WeakMap<TemplateStringsArray, string>();

/**
 * The tag that writes SQL: values become parameters, nested statements are woven in.
 * A text without nested parts is prepared once per connection under a name made from its hash.
 */
export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  const values: unknown[] = [];
  let nested = false;
  const weave = (texts: readonly string[], holes: readonly unknown[]): string =>
    texts.reduce((text, next, i) => {
      const hole = holes[i - 1];
      if (hole instanceof Fragment) {
        nested = true;
        return text + weave(hole.texts, hole.holes) + next;
      }
      values.push(hole);
      return `${text}$${values.length}${next}`;
    });
  const text = weave(strings, parts);
  if (nested) return { text, values };
  let name = names.get(strings);
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(strings, name);
  }
  return { name, text, values };
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
