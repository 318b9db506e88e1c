import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'golden');

/**
 * Holds lines against test/golden/<name>. `UPDATE_GOLDEN=1` writes the file anew: read what git then shows as changed
 * before you commit it.
 */
export function compareGolden(name: string, lines: readonly string[]): void {
  const file = path.join(folder, name);
  const actual = `${lines.join('\n')}\n`;
  if (process.env.UPDATE_GOLDEN) fs.writeFileSync(file, actual);
  const expected = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  assert.equal(actual, expected, `differs from test/golden/${name} (UPDATE_GOLDEN=1 writes it anew)`);
}
