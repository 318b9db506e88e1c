import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { type Mutant, mutantsOf, type Replacement } from './mutant.ts';
import { LEFT_OUT, ROOMS } from './rooms.ts';
import { sqlReplacements } from './sql.ts';
import { sqlTemplateOf, typescriptReplacements } from './typescript.ts';

/** Returns the mutants of all rooms. The same sources always give the same list. */
export function generate(root: string): Mutant[] {
  const seen = new Set<string>();
  return ROOMS.flatMap(({ name, files }) =>
    files
      .flatMap((pattern) => fs.globSync(pattern, { cwd: root }).sort())
      .filter((file) => !seen.has(file) && seen.add(file) && !LEFT_OUT.test(file))
      .flatMap((file) => mutantsOfSource(file, name, fs.readFileSync(path.join(root, file), 'utf8'))),
  );
}

/** Returns the mutants of one source text: of its TypeScript, and of the SQL in its templates. */
export function mutantsOfSource(file: string, room: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  return mutantsOf({ file, room, source }, [
    ...typescriptReplacements(tree).map((one) => ({ ...one, language: 'ts' as const })),
    ...sqlOf(tree).map((one) => ({ ...one, language: 'sql' as const })),
  ]);
}

function sqlOf(tree: ts.SourceFile): Replacement[] {
  const found: Replacement[] = [];
  const visit = (node: ts.Node): void => {
    const template = sqlTemplateOf(node);
    if (template) {
      const start = template.getStart(tree) + 1;
      found.push(...sqlReplacements(tree.text.slice(start, template.end - 1), start));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}
