import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const BATCH = path.join(import.meta.dirname, '..', '..', 'scripts', 'testing', 'batch.ts');

test('what a file mocks for all of the process is restored before the next file of its batch', (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-batch-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const head = "import assert from 'node:assert/strict';\nimport { mock, test } from 'node:test';\n";
  const files = [
    write(
      'first.mjs',
      `${head}mock.method(performance, 'now', () => 7);\ntest('mocked', () => assert.equal(performance.now(), 7));`,
    ),
    write('second.mjs', `${head}test('restored', () => assert.notEqual(performance.now(), 7));`),
  ];
  const run = write(
    'run.mjs',
    `import { runBatch } from ${JSON.stringify(pathToFileURL(BATCH).href)};\nawait runBatch(${JSON.stringify(files)});`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, run], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /restored/);
});
