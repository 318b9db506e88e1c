import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { root, temporaryFolder } from '../db/helpers.ts';
import { compareFile } from '../setup/golden.ts';

/** A golden file that holds `old`, by its name from the root of the project. */
function goldenFile(t: TestContext): { name: string; text(): string } {
  const file = path.join(temporaryFolder(t), 'golden.txt');
  fs.writeFileSync(file, 'old\n');
  return { name: path.relative(root, file), text: () => fs.readFileSync(file, 'utf8') };
}

function withSetting(t: TestContext, value: string | undefined): void {
  const before = process.env.UPDATE_GOLDEN;
  const set = (to: string | undefined) => {
    if (to === undefined) delete process.env.UPDATE_GOLDEN;
    else process.env.UPDATE_GOLDEN = to;
  };
  set(value);
  t.after(() => set(before));
}

for (const value of [undefined, '', '0', 'false', 'yes'])
  test(`UPDATE_GOLDEN=${value}: a golden file is compared, and stays as it is`, (t) => {
    withSetting(t, value);
    const { name, text } = goldenFile(t);
    compareFile(name, 'old\n');
    assert.throws(() => compareFile(name, 'new\n'), /line 1 differs/);
    assert.equal(text(), 'old\n');
  });

test('UPDATE_GOLDEN=1: a golden file is written', (t) => {
  withSetting(t, '1');
  const { name, text } = goldenFile(t);
  compareFile(name, 'new\n');
  assert.equal(text(), 'new\n');
});
