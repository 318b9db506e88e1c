import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { previousCommit, previousRelease } from '../../scripts/testing/previous.ts';
import { runPreviousTests, WIRE_TESTS } from '../../scripts/testing/previous-tests.ts';

const MIN_TESTS = 250;

test('the previous release passes its own tests on the schema of this version', async () => {
  await using release = await previousRelease();
  const server = process.env.PIROGUE_TEST_SERVER ?? '';
  const { code, output } = await runPreviousTests(release.folder, WIRE_TESTS, { server, output: 'keep', at_once: 2 });
  assert.equal(code, 0, output.split('failing tests:')[1] ?? output.slice(-4_000));
  const passed = Number(/ℹ pass (\d+)/.exec(output)?.[1]);
  assert.ok(passed >= MIN_TESTS, `${passed} tests`);
});

test('the schema of this version is at least that of the previous release', async () => {
  await using release = await previousRelease();
  for (const kind of ['control', 'store']) {
    const of = (root: string) => fs.readdirSync(path.join(root, 'migrations', kind));
    const ours = new Set(of(path.join(import.meta.dirname, '..', '..')));
    assert.deepEqual(
      of(release.folder).filter((file) => !ours.has(file)),
      [],
      'a released migration is missing',
    );
  }
});

test('released migrations are not edited', async () => {
  await using release = await previousRelease();
  for (const file of fs.globSync('migrations/*/*.sql', { cwd: release.folder })) {
    const ours = fs.readFileSync(path.join(import.meta.dirname, '..', '..', file), 'utf8');
    assert.equal(ours, fs.readFileSync(path.join(release.folder, file), 'utf8'), `${file} of ${previousCommit()}`);
  }
});
