import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readDefect, readDefects } from '../../scripts/seeded.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const defects = readDefects();

test('planted defects exist', () => assert.ok(defects.length >= 20, String(defects.length)));

for (const { file, tests } of defects) {
  test(`${path.basename(file)} still applies, and the tests that must catch it exist`, () => {
    // Outside a repository, so that git compares with the files as they are.
    execFileSync('git', ['apply', '--check', file], { cwd: ROOT, env: { ...process.env, GIT_DIR: path.join(ROOT, 'none') } });
    assert.deepEqual(
      tests.filter((name) => !fs.existsSync(path.join(ROOT, name))),
      [],
    );
  });
}

test('a patch without its heading is rejected', () => {
  assert.throws(() => readDefect('x.patch', 'Defect: one\n'), /needs the lines/);
});
