import ts from 'typescript';
import type { Replacement } from './mutant.ts';

/**
 * Mutators of TypeScript: the list of StrykerJS (https://stryker-mutator.io/docs/mutation-testing-elements/supported-mutators/),
 * without regular expressions. Each returns replacements of text, so a mutant needs no build.
 */
type Mutator = (node: ts.Node, code: Code) => Iterable<[ts.Node, string]>;

interface Code {
  /** Text of a node. */
  of(node: ts.Node): string;
}

const { SyntaxKind: Kind } = ts;

const ARITHMETIC: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.PlusToken]: '-',
  [Kind.MinusToken]: '+',
  [Kind.AsteriskToken]: '/',
  [Kind.SlashToken]: '*',
  [Kind.PercentToken]: '*',
};
const ASSIGNMENT: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.PlusEqualsToken]: '-=',
  [Kind.MinusEqualsToken]: '+=',
  [Kind.AsteriskEqualsToken]: '/=',
  [Kind.SlashEqualsToken]: '*=',
  [Kind.AmpersandAmpersandEqualsToken]: '||=',
  [Kind.BarBarEqualsToken]: '&&=',
  [Kind.QuestionQuestionEqualsToken]: '&&=',
};
const EQUALITY: Partial<Record<ts.SyntaxKind, string[]>> = {
  [Kind.LessThanToken]: ['<=', '>='],
  [Kind.LessThanEqualsToken]: ['<', '>'],
  [Kind.GreaterThanToken]: ['>=', '<='],
  [Kind.GreaterThanEqualsToken]: ['>', '<'],
  [Kind.EqualsEqualsToken]: ['!='],
  [Kind.ExclamationEqualsToken]: ['=='],
  [Kind.EqualsEqualsEqualsToken]: ['!=='],
  [Kind.ExclamationEqualsEqualsToken]: ['==='],
};
const LOGICAL: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.AmpersandAmpersandToken]: '||',
  [Kind.BarBarToken]: '&&',
  [Kind.QuestionQuestionToken]: '&&',
};
/** Null: the call is left out. */
const METHODS = new Map<string, string | null>([
  ...['charAt', 'filter', 'reverse', 'slice', 'sort', 'substring', 'trim', 'toSorted', 'toReversed'].map(
    (name): [string, null] => [name, null],
  ),
  ...[
    ['endsWith', 'startsWith'],
    ['every', 'some'],
    ['toLowerCase', 'toUpperCase'],
    ['trimEnd', 'trimStart'],
    ['min', 'max'],
  ].flatMap(([a, b]): [string, string][] => [
    [a as string, b as string],
    [b as string, a as string],
  ]),
]);

const MUTATORS: Readonly<Record<string, Mutator>> = {
  *ArithmeticOperator(node, code) {
    if (!ts.isBinaryExpression(node)) return;
    const operator = ARITHMETIC[node.operatorToken.kind];
    const last = ts.isBinaryExpression(node.left) ? node.left.right : node.left;
    if (operator && !isText(last) && !isText(node.right)) yield [node, withOperator(node, operator, code)];
  },
  *AssignmentOperator(node, code) {
    const operator = ts.isBinaryExpression(node) && ASSIGNMENT[node.operatorToken.kind];
    if (operator) yield [node, withOperator(node, operator, code)];
  },
  *EqualityOperator(node, code) {
    if (!ts.isBinaryExpression(node)) return;
    for (const operator of EQUALITY[node.operatorToken.kind] ?? []) yield [node, withOperator(node, operator, code)];
  },
  *LogicalOperator(node, code) {
    const operator = ts.isBinaryExpression(node) && LOGICAL[node.operatorToken.kind];
    if (operator) yield [node, `(${withOperator(node, operator, code)})`];
  },
  *ConditionalExpression(node) {
    if (ts.isCaseOrDefaultClause(node) && node.statements[0]) yield [node.statements[0], ';'];
    if (!ts.isExpression(node)) return;
    const test = testOf(node);
    if (test === 'loop') yield [node, 'false'];
    else if (test === 'condition' || isBoolean(node)) {
      const within = test === null && ts.isBinaryExpression(node.parent) ? node.parent.operatorToken.kind : null;
      if (within !== Kind.BarBarToken) yield [node, 'true'];
      if (within !== Kind.AmpersandAmpersandToken) yield [node, 'false'];
    }
  },
  *ArrayDeclaration(node) {
    if (ts.isArrayLiteralExpression(node)) yield [node, node.elements.length > 0 ? '[]' : `['mutant']`];
  },
  *ArrowFunction(node) {
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) yield [node, '(() => undefined)'];
  },
  *BlockStatement(node) {
    if (ts.isBlock(node) && node.statements.length > 0) yield [node, '{}'];
  },
  *BooleanLiteral(node, code) {
    if (node.kind === Kind.TrueKeyword) yield [node, 'false'];
    if (node.kind === Kind.FalseKeyword) yield [node, 'true'];
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) yield [node, code.of(node.operand)];
  },
  *MethodExpression(node, code) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { expression, name } = node.expression;
    const other = METHODS.get(name.text);
    if (other === null) yield [node, code.of(expression)];
    if (other) yield [name, other];
  },
  *ObjectLiteral(node) {
    if (ts.isObjectLiteralExpression(node) && node.properties.length > 0) yield [node, '{}'];
  },
  *OptionalChaining(node) {
    if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node) && !ts.isCallExpression(node)) return;
    if (node.questionDotToken) yield [node.questionDotToken, ts.isPropertyAccessExpression(node) ? '.' : ''];
  },
  *StringLiteral(node) {
    if (ts.isStringLiteral(node) && !isName(node)) yield [node, node.text === '' ? `'mutant'` : `''`];
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) yield [node, `''`];
  },
  *UnaryOperator(node, code) {
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.MinusToken) yield [node, code.of(node.operand)];
  },
  *UpdateOperator(node, code) {
    if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return;
    const other = { [Kind.PlusPlusToken]: '--', [Kind.MinusMinusToken]: '++' }[node.operator as number];
    if (other) yield [node, `${other}${code.of(node.operand)}`];
  },
};

/** Returns the replacements of a source. SQL templates are left to sql.ts; types, imports, and texts of logs and errors are left out. */
export function typescriptReplacements(file: ts.SourceFile): Replacement[] {
  const found: Replacement[] = [];
  const code: Code = { of: (node) => node.getText(file) };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isForReaders(node)) return;
    if (sqlTemplateOf(node) === null) {
      for (const [mutator, replacements] of Object.entries(MUTATORS)) {
        for (const [target, to] of replacements(node, code)) {
          found.push({ start: target.getStart(file), end: target.end, to, mutator });
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns the template when the node is the SQL text of `sql`, `part` or `fixed`, otherwise null. */
export function sqlTemplateOf(node: ts.Node): ts.TemplateLiteral | ts.StringLiteral | null {
  const { parent } = node;
  if (!parent || !(ts.isTemplateLiteral(node) || ts.isStringLiteral(node))) return null;
  const tagged = ts.isTaggedTemplateExpression(parent) && parent.template === node ? parent.tag : null;
  const called = ts.isCallExpression(parent) && parent.arguments[0] === node ? parent.expression : null;
  if (tagged && ts.isIdentifier(tagged) && (tagged.text === 'sql' || tagged.text === 'part')) return node;
  return called && ts.isIdentifier(called) && called.text === 'fixed' ? node : null;
}

/** Returns whether the node is a call that only reports to a developer, or the text of an error. */
function isForReaders(node: ts.Node): boolean {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return /(?:^|\.)log$/.test(node.expression.expression.getText());
  }
  if (!node.parent || !(ts.isStringLiteral(node) || ts.isTemplateLiteral(node))) return false;
  const { parent } = node;
  if (ts.isNewExpression(parent)) return /Error$/.test(parent.expression.getText());
  return ts.isCallExpression(parent) && parent.expression.getText() === 'must' && parent.arguments[1] === node;
}

function withOperator(node: ts.BinaryExpression, operator: string, code: Code): string {
  return `${code.of(node.left)} ${operator} ${code.of(node.right)}`;
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isTemplateLiteral(node);
}

function isBoolean(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return kind in EQUALITY || kind === Kind.AmpersandAmpersandToken || kind === Kind.BarBarToken;
}

function testOf(node: ts.Expression): 'loop' | 'condition' | null {
  const { parent } = node;
  if (!parent) return null;
  if (ts.isIfStatement(parent) && parent.expression === node) return 'condition';
  if ((ts.isWhileStatement(parent) || ts.isDoStatement(parent)) && parent.expression === node) return 'loop';
  return ts.isForStatement(parent) && parent.condition === node ? 'loop' : null;
}

/** Returns whether a string is the name of a property or module, or a directive. */
function isName(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (ts.isExpressionStatement(parent)) return true;
  if (ts.isCallExpression(parent) && parent.expression.kind === Kind.ImportKeyword) return true;
  return (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) && parent.name === node;
}
