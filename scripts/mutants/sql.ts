import type { Replacement } from './mutant.ts';

/** One word, number, operator or bracket of an SQL text. */
interface Token {
  /** In lower case; a quoted text keeps its quotes, an inserted value is {@link HOLE}. */
  word: string;
  start: number;
  end: number;
  /** Number of brackets around it. */
  depth: number;
  /** The last of {@link CLAUSES} at this depth. */
  clause: string;
}

const HOLE = '§';
const CLAUSES = new Set(
  'select from where on having set values order group limit offset for returning insert update delete with join into conflict window'.split(
    ' ',
  ),
);
/** Clauses that hold a condition. */
const CONDITIONS = new Set(['where', 'on', 'having']);
/** Words that end a condition. */
const ENDS = new Set(
  'order group limit offset for returning union except intersect join left right inner cross window on do set then when else end filter from'.split(
    ' ',
  ),
);
const TOKEN =
  /'(?:[^']|'')*'|§+|::\w+(?:\[\])?|[a-z_]\w*(?:\.\w+)*|\d+(?:\.\d+)?|->>|->|<>|<=|>=|\|\||--.*|[-+*/=<>(),;[\].?@#|&:]/gi;
const COMPARISONS: Readonly<Record<string, string>> = { '=': '<>', '<>': '=', '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*' };
const FUNCTIONS: Readonly<Record<string, string>> = { least: 'greatest', greatest: 'least', min: 'max', max: 'min', sum: 'max' };
const LOCKS = [
  ['for', 'no', 'key', 'update'],
  ['for', 'update'],
  ['for', 'share'],
  ['skip', 'locked'],
];

/**
 * Returns the replacements of an SQL text: comparisons, conditions, arithmetic, functions, locks, conflicts, orders, assignments
 * and texts. Inserted values (`${…}`) are left as they are.
 * @param start position of the text in its source
 */
export function sqlReplacements(text: string, start = 0): Replacement[] {
  const masked = maskHoles(text);
  const tokens = tokensOf(masked);
  return tokens
    .flatMap((token, i) => [
      ...comparison(tokens, i, token),
      ...logical(tokens, i, token),
      ...condition(tokens, i, token),
      ...arithmetic(tokens, i, token),
      ...words(tokens, i, token),
      ...removals(tokens, i, token),
      ...assignment(tokens, i, token),
    ])
    .map((one) => ({ ...one, start: start + one.start, end: start + one.end }));
}

/** Replaces inserted values of a template by text of the same length that no mutator changes. */
function maskHoles(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    if (!text.startsWith('${', i)) {
      out += text[i];
      continue;
    }
    const from = i;
    let depth = 0;
    do {
      if (text[i] === '{') depth++;
      if (text[i] === '}') depth--;
      i++;
    } while (depth > 0 || i < from + 2);
    i--;
    out += HOLE.repeat(i + 1 - from);
  }
  return out;
}

function tokensOf(masked: string): Token[] {
  const tokens: Token[] = [];
  const clauses = [''];
  for (const match of masked.matchAll(TOKEN)) {
    const word = match[0].startsWith(HOLE) ? HOLE : match[0].toLowerCase();
    if (word.startsWith('--')) continue;
    if (word === ')' && clauses.length > 1) clauses.pop();
    const depth = clauses.length - 1;
    if (CLAUSES.has(word)) clauses[depth] = word;
    tokens.push({ word, start: match.index, end: match.index + match[0].length, depth, clause: clauses[depth] as string });
    if (word === '(') clauses.push(isCondition(clauses[depth] as string) ? 'where' : '');
  }
  return tokens;
}

function isCondition(clause: string): boolean {
  return CONDITIONS.has(clause);
}

function* comparison(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  const other = COMPARISONS[token.word];
  // In `set a = b` the equals sign is an assignment.
  if (!other || (token.clause === 'set' && token.word === '=' && !inCase(tokens, i))) return;
  yield { ...place(token), to: other, mutator: 'SqlComparison' };
}

function* logical(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  if (token.word === 'or') yield { ...place(token), to: 'and', mutator: 'SqlLogical' };
  if (token.word === 'and' && !isBetween(tokens, i)) yield { ...place(token), to: 'or', mutator: 'SqlLogical' };
}

/** Yields the replacement of a condition between two `and`, or between `where` and `and`, by true. */
function* condition(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  const begins =
    isCondition(token.clause) &&
    (isCondition(token.word) || token.word === 'or' || (token.word === 'and' && !isBetween(tokens, i)));
  const first = tokens[i + 1];
  if (!begins || !first || first.depth < token.depth || first.word === 'conflict' || tokens[i - 1]?.word === 'distinct') return;
  let end = i + 1;
  for (; end < tokens.length; end++) {
    const { word, depth } = tokens[end] as Token;
    if (depth < token.depth) break;
    if (depth > token.depth) continue;
    if (word === 'or' || ENDS.has(word) || word === ',' || (word === 'and' && !isBetween(tokens, end))) break;
  }
  const last = tokens[end - 1] as Token;
  // An inserted fragment may contain more than a condition.
  if (tokens.slice(i + 1, end).every(({ word }) => word.startsWith(HOLE))) return;
  yield { start: first.start, end: last.end, to: token.word === 'or' ? 'false' : 'true', mutator: 'SqlCondition' };
}

function* arithmetic(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  const other = ARITHMETIC[token.word];
  const before = tokens[i - 1]?.word ?? '';
  const after = tokens[i + 1]?.word ?? '';
  if (other && isOperand(before) && !CLAUSES.has(before) && isOperand(after, '('))
    yield { ...place(token), to: other, mutator: 'SqlArithmetic' };
}

function* words(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  const next = tokens[i + 1];
  const before = tokens[i - 1]?.word ?? '';
  const other = next?.word === '(' && FUNCTIONS[token.word];
  if (other) yield { ...place(token), to: other, mutator: 'SqlFunction' };
  if (token.word === 'is' && next?.word === 'null') yield { ...place(token), to: 'is not', mutator: 'SqlNegation' };
  if (token.word === 'not' && next && token.clause !== 'insert')
    yield { start: token.start, end: next.start, to: '', mutator: 'SqlNegation' };
  if ((token.word === 'exists' || token.word === 'in') && next?.word === '(' && before !== 'not') {
    yield { ...place(token), to: `not ${token.word}`, mutator: 'SqlNegation' };
  }
  if (token.word === 'true' || token.word === 'false') {
    yield { ...place(token), to: token.word === 'true' ? 'false' : 'true', mutator: 'SqlBoolean' };
  }
  const isTyped = next?.word.startsWith('::') || before === 'interval' || token.word.startsWith("'{");
  if (/^'./.test(token.word) && !isTyped)
    yield { ...place(token), to: token.word === "''" ? "'mutant'" : "''", mutator: 'SqlText' };
}

/** Yields the removals of locks, conflict clauses, orders and `distinct`. */
function* removals(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  for (const lock of LOCKS) {
    const last = tokens[i + lock.length - 1];
    if (last && lock.every((word, at) => tokens[i + at]?.word === word)) {
      yield { start: token.start, end: last.end, to: '', mutator: 'SqlLock' };
      break;
    }
  }
  if (token.word === 'on' && tokens[i + 1]?.word === 'conflict') {
    const end = tokens.findIndex((one, at) => at > i && one.word === 'nothing' && one.depth === token.depth);
    if (end > 0) yield { start: token.start, end: (tokens[end] as Token).end, to: '', mutator: 'SqlConflict' };
  }
  if (token.word === 'order' && tokens[i + 1]?.word === 'by') {
    const end = tokens.findIndex(
      (one, at) => at > i && (one.depth < token.depth || (one.depth === token.depth && ENDS.has(one.word))),
    );
    const last = tokens[(end < 0 ? tokens.length : end) - 1] as Token;
    yield { start: token.start, end: last.end, to: '', mutator: 'SqlOrder' };
  }
  if (token.word === 'desc') yield { ...place(token), to: 'asc', mutator: 'SqlOrder' };
  if (token.word === 'distinct' && tokens[i + 1]?.word !== 'on' && tokens[i + 1]?.word !== 'from') {
    yield { ...place(token), to: '', mutator: 'SqlDistinct' };
  }
}

/** Yields the removal of one of several assignments of `set`. */
function* assignment(tokens: Token[], i: number, token: Token): Generator<Replacement> {
  const { depth, clause } = token;
  const isFirst = token.word === 'set';
  if (clause !== 'set' || (!isFirst && token.word !== ',')) return;
  let end = i + 1;
  while (end < tokens.length && !endsAssignment(tokens[end] as Token, depth)) end++;
  const after = tokens[end];
  const isLast = after?.word !== ',' || after.depth !== depth;
  const first = tokens[i + 1];
  if (!first || (isFirst && isLast) || tokens[i + 2]?.word !== '=') return;
  const range = isFirst
    ? { start: first.start, end: (tokens[end + 1] ?? first).start }
    : { start: token.start, end: (tokens[end - 1] as Token).end };
  yield { ...range, to: '', mutator: 'SqlAssignment' };
}

function endsAssignment({ word, depth }: Token, of: number): boolean {
  return depth < of || (depth === of && (word === ',' || word === 'where' || word === 'from' || word === 'returning'));
}

/** Returns whether the `and` belongs to `between a and b`. */
function isBetween(tokens: Token[], i: number): boolean {
  const { depth } = tokens[i] as Token;
  for (let at = i - 1; at >= 0; at--) {
    const one = tokens[at] as Token;
    if (one.depth < depth || (one.depth === depth && (one.word === 'and' || one.word === 'or'))) return false;
    if (one.depth === depth && one.word === 'between') return true;
  }
  return false;
}

/** Returns whether the token is between `when` and `then`. */
function inCase(tokens: Token[], i: number): boolean {
  const before = tokens.slice(0, i).findLast(({ word }) => ['case', 'when', 'then', 'else', 'end', 'set'].includes(word));
  return before?.word === 'when';
}

function isOperand(word: string, bracket = ')'): boolean {
  return word === bracket || word === HOLE || /^[\w']/.test(word) || (bracket === ')' && word.startsWith('::'));
}

function place({ start, end }: Token): { start: number; end: number } {
  return { start, end };
}
