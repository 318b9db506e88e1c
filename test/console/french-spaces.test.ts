import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** Where French has a no-break space: before : ; ? ! and inside quotation marks. Otherwise a line may break there. */
const CONSOLE = path.join(import.meta.dirname, '..', '..', 'src', 'edge', 'console');
const LITERAL = /'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;

/** Returns the part of a file that is French: all of `french.ts`, or from the French texts on. */
function frenchIn(file: string): string {
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf('\n  fr: {');
  return path.basename(file) === 'french.ts' ? text : from < 0 ? '' : text.slice(from);
}

function saidIn(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line) => [...line.matchAll(LITERAL)])
    .map(([, plain, template]) => (plain ?? template ?? '').replaceAll('\\u00A0', '\u00A0'));
}

test('the French of the console has no-break spaces, and a space before each colon', () => {
  const files = globSync('**/{*texts,french}.ts', { cwd: CONSOLE });
  assert.ok(files.length > 25, String(files.length));
  for (const file of files) {
    for (const said of saidIn(frenchIn(path.join(CONSOLE, file)))) {
      assert.doesNotMatch(said, /[\p{L}\d}»)] [:;?!»](?!\w)|« /u, `${file}: a space at which the line may break`);
      assert.doesNotMatch(said, /[\p{Ll})}][:;?!](?:\s|$)/u, `${file}: no space`);
    }
  }
});
