import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** What stands for a value that is only known when the program runs. */
const VALUE = '7';

/** Readers of messages give up beyond this many variants of one template. */
const MAX_VARIANTS = 40;

/** A message in the source, with values in its places. */
export interface SourceMessage {
  text: string;
  file: string;
}

/**
 * Returns what the sources say to a caller: second arguments of `new Problem`, errors given to `invalid` or assigned to `errors`, tables
 * named MESSAGES and FORMATS, and every text of a function that returns a fault, by its first words.
 */
export function sourceMessages(folders: readonly string[], isLeftOut: (file: string) => boolean): SourceMessage[] {
  const files = folders.flatMap((folder) => {
    const names = fs.readdirSync(path.join(ROOT, folder), { recursive: true }) as string[];
    return names.map((name) => path.posix.join(folder, name)).filter((name) => name.endsWith('.ts') && !isLeftOut(name));
  });
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, fs.readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
    return [...new Set(messagesIn(source))].map((text) => ({ text, file }));
  });
}

/** Returns every text of a file that has more than one word, with values in its places. */
export function sourceTexts(file: string): string[] {
  const source = ts.createSourceFile(file, fs.readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isText(node)) found.push(...variants(node, source).filter((text) => text.includes(' ')));
    else node.forEachChild(visit);
  };
  visit(source);
  return [...new Set(found)];
}

/** First words of a fault: a predicate about a field. */
const PREDICATE = /^(is|are|must|has|cannot|needs|was|does|belongs|looks|already|one of|the team is|a team has|more than) /;

function messagesIn(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && /^(Own)?Problem$/.test(node.expression.getText()) && node.arguments?.[1]) {
      found.push(...variants(node.arguments[1], source).filter((text) => text !== VALUE));
    } else if (ts.isVariableDeclaration(node) && node.name.getText() === 'MESSAGES' && node.initializer) {
      node.initializer.forEachChild((one) => {
        if (ts.isPropertyAssignment(one)) found.push(...variants(one.initializer, source));
      });
    } else if (isText(node) && isFault(node)) found.push(...variants(node, source).filter((text) => PREDICATE.test(text)));
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

function isText(node: ts.Node): node is ts.Expression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Whether a text can be a fault: not an impossible state, a log line, a table of documentation or an error that no caller sees. */
function isFault(node: ts.Node): boolean {
  for (let above = node.parent; above; above = above.parent) {
    if (ts.isCallExpression(above) && /^(must|card|.*log\.\w+|describe|resource)$/.test(above.expression.getText())) return false;
    if (ts.isNewExpression(above) && /Error$/.test(above.expression.getText())) return false;
    if (ts.isPropertyAssignment(above) && /^(description|when|summary|notes?|reason|why)$/.test(above.name.getText()))
      return false;
    if (ts.isTaggedTemplateExpression(above)) return false;
    if (ts.isFunctionLike(above)) return true;
  }
  return true;
}

/** Returns the texts that an expression of the source can have, with {@link VALUE} for what cannot be read from it. */
function variants(node: ts.Expression, source: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...variants(node.whenTrue, source), ...variants(node.whenFalse, source)];
  if (ts.isParenthesizedExpression(node)) return variants(node.expression, source);
  if (ts.isTemplateExpression(node)) {
    let texts = [node.head.text];
    for (const { expression, literal } of node.templateSpans) {
      const inner = variants(expression, source);
      texts = texts.flatMap((text) => inner.map((one) => text + one + literal.text)).slice(0, MAX_VARIANTS);
    }
    return texts;
  }
  if (ts.isIdentifier(node)) return ofConst(node, source);
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return ofFunction(node.expression.text, source);
  return [VALUE];
}

/** Returns what the nearest constant of that name holds. */
function ofConst(node: ts.Identifier, source: ts.SourceFile): string[] {
  for (let above: ts.Node = node.parent; above; above = above.parent) {
    if (!ts.isBlock(above) && !ts.isSourceFile(above)) continue;
    for (const statement of above.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const own = statement.declarationList.declarations.find(({ name }) => name.getText() === node.text);
      if (own?.initializer) return variants(own.initializer, source);
    }
  }
  return [VALUE];
}

/** Returns what a function of the same file returns, when each return is a text. */
function ofFunction(name: string, source: ts.SourceFile): string[] {
  const own = source.statements.find((one) => ts.isFunctionDeclaration(one) && one.name?.text === name);
  const returned = own && ts.isFunctionDeclaration(own) ? (own.body?.statements ?? []) : [];
  const texts = returned.flatMap((one) => (ts.isReturnStatement(one) && one.expression ? variants(one.expression, source) : []));
  return texts.length > 0 ? texts : [VALUE];
}
