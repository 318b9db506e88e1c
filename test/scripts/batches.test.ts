import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { inBatches } from '../../scripts/testing/batches.ts';
import { temporaryFolder } from '../db/helpers.ts';

function written(t: TestContext, texts: readonly string[]): string[] {
  const folder = temporaryFolder(t);
  return texts.map((text, i) => {
    const file = path.join(folder, `${String(i).padStart(2, '0')}.test.ts`);
    fs.writeFileSync(file, text);
    return file;
  });
}

test('each file is in one batch, and neighbours are in different ones', (t) => {
  const files = written(t, new Array(35).fill(''));
  const batches = inBatches(files, 3);
  assert.deepEqual(batches.flat().sort(), files);
  assert.deepEqual(
    batches.map(({ length }) => length),
    [6, 5, 4, 4, 3, 3, 3, 3, 3, 1],
  );
  assert.deepEqual(batches[0]?.slice(0, 2), [files[0], files[10]]);
});

test('of many files a process runs fifteen, and at the end of a run few', (t) => {
  const files = written(t, new Array(200).fill(''));
  const sizes = inBatches(files, 3).map(({ length }) => length);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    200,
  );
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  assert.deepEqual([sizes.slice(0, 8), sizes.slice(-6)], [new Array(8).fill(15), [3, 3, 3, 3, 3, 1]]);
});

test('a few files have a process each', (t) => {
  const files = written(t, ['', '', '', '']);
  assert.deepEqual(
    inBatches(files, 3).map(({ length }) => length),
    [2, 1, 1],
  );
  assert.deepEqual(inBatches(files.slice(0, 1), 3), [files.slice(0, 1)]);
  assert.deepEqual(inBatches([], 3), []);
});

test('a file that asks for a process of its own has one, before the others', (t) => {
  const files = written(t, ['', '// Own process: it changes the environment.\n', '', 'const text = "// Own process: no";']);
  assert.deepEqual(inBatches(files, 1), [[files[1]], [files[0], files[2], files[3]]]);
});
