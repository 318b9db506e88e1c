import ts from 'typescript';

/** A table that a statement names. */
export interface NamedTable {
  table: string;
  writes: boolean;
}

/** Placeholder for a value or fragment that a template inserts. */
export const HOLE = '{}';

/** Words after which a table is named. `writes`: the statement changes that table. */
const BEFORE_TABLE: Readonly<Record<string, { writes: boolean }>> = {
  from: { writes: false },
  join: { writes: false },
  using: { writes: false },
  into: { writes: true },
  update: { writes: true },
  truncate: { writes: true },
  copy: { writes: true },
  table: { writes: false },
  lock: { writes: false },
};

/** Words before an `update` that locks rows: `for update`, `for no key update`. */
const LOCKING = new Set(['for', 'key']);

/** Words before a `table` whose definition or content changes. */
const CHANGING = new Set(['alter', 'drop', 'truncate']);

/** Words that may be between one of those and the table. */
const SKIPPED = new Set(['only', 'lateral', 'if', 'exists']);

/** Words that end a list of tables: a comma after them separates something else. */
const ENDS_LIST = new Set(
  'where set on group order limit offset fetch having window union except intersect returning select values for with'.split(' '),
);

const TOKEN = /(?:"?\w+"?\s*\.\s*)*"?\w+"?|\{\}|[(),]/g;

interface Level {
  /** Set where a table comes next. */
  next: { writes: boolean } | null;
  /** Whether a comma is followed by another table. */
  inList: boolean;
  /** Whether the statement changes the tables after commas too: `truncate a, b`. */
  changesList: boolean;
}

/** Returns the tables that a piece of SQL reads or writes, those after the commas of a list included. */
export function tablesIn(text: string): NamedTable[] {
  const found: NamedTable[] = [];
  const levels: Level[] = [{ next: null, inList: false, changesList: false }];
  let before = '';
  for (const [token] of withoutTexts(text).toLowerCase().matchAll(TOKEN)) {
    const level = levels.at(-1) as Level;
    const name = nameOf(token);
    if (token === '(') {
      // A join may be in parentheses: `from (a join b on true), c`.
      levels.push({ next: level.next, inList: level.next !== null, changesList: false });
      level.next = null;
    } else if (token === ')') {
      levels.length = Math.max(1, levels.length - 1);
    } else if (token === ',') {
      level.next = level.inList ? { writes: level.changesList } : null;
    } else if (name in BEFORE_TABLE && !(name === 'update' && LOCKING.has(before))) {
      level.next = { writes: writesAfter(name, before) };
      level.inList = name !== 'update' && name !== 'into';
      level.changesList = name === 'truncate' || (name === 'table' && level.next.writes);
    } else if (ENDS_LIST.has(name)) {
      level.next = null;
      level.inList = level.inList && name === 'on';
    } else if (level.next !== null && !SKIPPED.has(name)) {
      // Pages have a button named copy.
      if (before !== 'copy' || name !== HOLE) found.push({ table: name, writes: level.next.writes });
      level.next = null;
    }
    before = token;
  }
  // `'update ' + table`: the appended text names the table.
  if (ENDS_BEFORE_TABLE.test(text)) found.push({ table: HOLE, writes: true });
  return found;
}

function writesAfter(name: string, before: string): boolean {
  if (name === 'from') return before === 'delete';
  if (name === 'table') return CHANGING.has(before);
  return BEFORE_TABLE[name]?.writes === true;
}

const ENDS_BEFORE_TABLE = /^\s*(?:update|insert\s+into|delete\s+from|merge\s+into|truncate)\s+$/i;

/** Removes comments and quoted texts, which may contain such words too. */
function withoutTexts(text: string): string {
  return text.replace(/--.*$|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/gm, ' ');
}

function nameOf(token: string): string {
  return token.replace(/["\s]/g, '').replace(/^(?:\w+\.)?public\./, '');
}

/**
 * Returns the text of every template and string of a source, nested ones apart, with {@link HOLE} for what a template inserts,
 * and the files of `/// <reference path>`.
 */
export function literalsIn(source: string): string[] {
  const literals: string[] = [];
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    if (ts.isTemplateExpression(node))
      literals.push([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(HOLE));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...literals, ...file.referencedFiles.map(({ fileName }) => fileName)];
}
