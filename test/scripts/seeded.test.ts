import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { Bed, readDefect, readDefects } from '../../scripts/seeded.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const defects = readDefects();

test('planted defects exist', () => assert.ok(defects.length >= 100, String(defects.length)));

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

/** A project of one file, whose tests are red when it is not `good`, and whose types are wrong when it is `broken`. */
function project(t: TestContext): { folder: string; patch(to: string, tests: string): string } {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'seeded-test-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };
  write('package.json', '{"type":"module"}');
  write('program.txt', 'good\n');
  const read = "import fs from 'node:fs'; const text = fs.readFileSync('program.txt', 'utf8'); const [, , name] = process.argv;";
  const red = "(!/blind|no such test/.test(name) && text !== 'good\\n') || name === 'unstable'";
  const edit = "if (name === 'editing') fs.writeFileSync('program.txt', 'edited\\n');";
  write(
    'scripts/test.ts',
    `${read} if (${red}) console.log('failing tests'); ${edit} process.exit(${red} || name === 'no such test' ? 1 : 0);`,
  );
  write('node_modules/typescript-7/bin/tsc', `${read} process.exit(text === 'broken\\n' ? 1 : 0);`);
  const patch = (to: string, tests: string) => {
    const diff = `--- a/program.txt\n+++ b/program.txt\n@@ -1 +1 @@\n-${to === 'stale' ? 'other' : 'good'}\n+${to}\n`;
    write(
      `${to}.patch`,
      `Defect: it is ${to}\nCaught by: npm test -- ${tests}\n\ndiff --git a/program.txt b/program.txt\n${diff}`,
    );
    return path.join(folder, `${to}.patch`);
  };
  return { folder, patch };
}

test('only a defect that compiles, and turns green tests red, is caught', async (t) => {
  const { folder, patch } = project(t);
  const bed = new Bed(folder, t.signal);
  const verdictOf = async (to: string, tests: string) => {
    const file = patch(to, tests);
    return (await bed.seed({ file, defect: to, tests: [tests] })).verdict;
  };
  assert.equal(await verdictOf('bad', 'sharp'), 'caught');
  assert.equal(await verdictOf('bad', 'blind'), 'missed');
  assert.equal(await verdictOf('bad', 'no such test'), 'missed');
  assert.equal(await verdictOf('bad', 'unstable'), 'red anyway');
  assert.equal(await verdictOf('broken', 'sharp'), 'broken');
  assert.equal(await verdictOf('stale', 'sharp'), 'stale');
  assert.equal(fs.readFileSync(path.join(folder, 'program.txt'), 'utf8'), 'good\n');
  await assert.rejects(verdictOf('bad', 'editing'), /cannot be taken out again/);
});
