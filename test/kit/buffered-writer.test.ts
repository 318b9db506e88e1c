import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Buffering, BufferedWriter } from '../../src/kit/buffered-writer.ts';

const LONG_MS = 3_600_000;

/** A writer whose writes end when the test says so. */
function scripted(changes: Partial<Buffering<number>> = {}) {
  const writes: { rows: number[]; end(error?: Error): void }[] = [];
  const lost: [number, string | undefined][] = [];
  const writer = new BufferedWriter<number>({
    ...{ max_rows: 3, max_waiting: 5, every_ms: LONG_MS },
    write: (rows) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ rows, end: (error) => (error ? reject(error) : resolve()) });
      }),
    lost: (rows, error) => lost.push([rows, (error as Error | undefined)?.message]),
    ...changes,
  });
  const add = (...rows: number[]) => {
    for (const row of rows) writer.add(row);
  };
  return { writer, add, writes, lost, rows: () => writes.map((one) => one.rows) };
}

test('a full batch is written at once, a partial one after its time', async () => {
  const full = scripted();
  full.add(1, 2, 3, 4);
  assert.deepEqual(full.rows(), [[1, 2, 3]]);
  const partial = scripted({ every_ms: 1 });
  partial.add(1);
  assert.deepEqual(partial.rows(), []);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(partial.rows(), [[1]]);
});

test('one write runs at a time, and the next takes the rows that came meanwhile', async () => {
  const { add, writes, rows } = scripted();
  add(1, 2, 3, 4, 5, 6, 7);
  await turn();
  assert.deepEqual(rows(), [[1, 2, 3]]);
  writes[0]?.end();
  await turn();
  assert.deepEqual(rows(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
});

test('rows above the maximum that waits are lost and counted', () => {
  const { add, lost } = scripted();
  add(1, 2, 3); // being written
  add(4, 5, 6, 7, 8, 9, 10);
  assert.deepEqual(lost, [
    [1, undefined],
    [1, undefined],
  ]);
});

test('the rows of a write that fails are lost with its error, and the next ones are written', async () => {
  const { add, writes, lost, rows } = scripted();
  add(1, 2, 3, 4, 5, 6);
  writes[0]?.end(new Error('gone'));
  await turn();
  assert.deepEqual(lost, [[3, 'gone']]);
  assert.deepEqual(rows()[1], [4, 5, 6]);
});

test('closing writes everything that waits', async () => {
  const { writer, add, writes, lost, rows } = scripted();
  add(1, 2, 3, 4, 5);
  const closed = writer.close(LONG_MS);
  writes[0]?.end();
  await turn();
  writes[1]?.end();
  await closed;
  assert.deepEqual(rows().flat(), [1, 2, 3, 4, 5]);
  assert.deepEqual(lost, []);
});

test('closing ends at its deadline, and what was not written is counted', async () => {
  const { writer, add, lost } = scripted();
  add(1, 2, 3, 4);
  await writer.close(1);
  assert.deepEqual(lost, [[1, undefined]]);
  add(5);
  assert.deepEqual(lost[1], [1, undefined]);
});

test('closing waits for its deadline in a process that has nothing else to do', () => {
  const writer = path.join(import.meta.dirname, '..', '..', 'src', 'kit', 'buffered-writer.ts');
  const code = `
    const { BufferedWriter } = await import(${JSON.stringify(writer)});
    const never = () => new Promise(() => {});
    const lost = (rows) => console.log('lost', rows);
    const writer = new BufferedWriter({ max_rows: 1, max_waiting: 5, every_ms: 1000, write: never, lost });
    writer.add('being written');
    writer.add('waiting');
    await writer.close(20);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  assert.deepEqual([stdout, status], ['lost 1\n', 0]);
});
