import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Whether golden files are written instead of compared. Any other value, such as 0, compares them. */
export function isUpdatingGolden(): boolean {
  return process.env.UPDATE_GOLDEN === '1';
}

/**
 * Holds lines against test/golden/<name>. `UPDATE_GOLDEN=1` writes the file anew: read what git then shows as changed
 * before you commit it.
 */
export function compareGolden(name: string, lines: readonly string[]): void {
  compareFile(`test/golden/${name}`, `${lines.join('\n')}\n`);
}

/** The same for a whole file. @param name from the root of the project */
export function compareFile(name: string, actual: string): void {
  const file = path.join(root, name);
  if (isUpdatingGolden()) fs.writeFileSync(file, actual);
  const expected = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  // The first line that differs says more than ten thousand lines of both.
  const [lines, known] = [actual.split('\n'), expected.split('\n')];
  const at = lines.findIndex((line, i) => line !== known[i]);
  assert.equal(lines[at], known[at], `line ${at + 1} differs from ${name} (UPDATE_GOLDEN=1 writes it anew)`);
  assert.equal(actual.length, expected.length, `differs from ${name} (UPDATE_GOLDEN=1 writes it anew)`);
}

/** Returns the full cross product of a state machine, one line each: status, trigger, next status (`-`: no transition). */
export function transitionLines<S extends string, T extends string>(
  statuses: readonly S[],
  triggers: readonly T[],
  next: (status: S, trigger: T) => S | null,
): string[] {
  return statuses.flatMap((status) =>
    triggers.map((trigger) => `${status.padEnd(16)} ${trigger.padEnd(24)} ${next(status, trigger) ?? '-'}`),
  );
}
