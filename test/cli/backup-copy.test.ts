import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { copyFile, eachFile } from '../../src/program/cli/backup/copy.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-copy-'));
after(() => fs.rmSync(folder, { recursive: true }));

test('a file is copied whole, for its owner only, with its size and hash', async () => {
  for (const bytes of [0, 1, 262_143, 262_144, 1_000_000]) {
    const [from, to] = [path.join(folder, `from-${bytes}`), path.join(folder, `to-${bytes}`)];
    const content = Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 31) & 255));
    fs.writeFileSync(from, content);
    let reported = 0;
    const progress = { add: (n: number) => (reported += n) } as unknown as Parameters<typeof copyFile>[2];
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.deepEqual(await copyFile(from, to, progress), { bytes, sha256 });
    assert.ok(fs.readFileSync(to).equals(content), `${bytes} bytes`);
    assert.deepEqual([fs.statSync(to).mode & 0o777, reported], [0o600, bytes]);
  }
});

test('a file that is gone is left out; one that cannot be written, or exists already, is an error', async () => {
  const [from, gone] = [path.join(folder, 'from'), path.join(folder, 'gone')];
  fs.writeFileSync(from, 'rows');
  assert.equal(await copyFile(gone, path.join(folder, 'nothing')), null);
  assert.equal(fs.existsSync(path.join(folder, 'nothing')), false);
  await assert.rejects(copyFile(from, path.join(folder, 'absent', 'to')), { code: 'ENOENT' });
  fs.writeFileSync(path.join(folder, 'there'), 'kept');
  await assert.rejects(copyFile(from, path.join(folder, 'there')), { code: 'EEXIST' });
  assert.equal(fs.readFileSync(path.join(folder, 'there'), 'utf8'), 'kept');
});

test('every file is worked on once; after a failure none is begun, and it is reported when none is in progress', async () => {
  const files = Array.from({ length: 40 }, (_, i) => i);
  const done: number[] = [];
  await eachFile(files, async (file) => {
    await new Promise(setImmediate);
    done.push(file);
  });
  assert.deepEqual(
    done.sort((a, b) => a - b),
    files,
  );
  let [begun, ended] = [0, 0];
  const failing = eachFile(files, async (file) => {
    begun += 1;
    for (let turns = 0; turns < file; turns++) await new Promise(setImmediate);
    ended += 1;
    if (file === 1) throw new Error('no space left');
  });
  await assert.rejects(failing, /no space left/);
  assert.equal(begun, ended);
  assert.ok(begun < files.length, `${begun} were begun`);
});
