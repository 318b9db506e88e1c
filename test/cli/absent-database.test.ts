import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeFolder, pirogue } from './command.ts';

let home: string;
before(() => {
  home = makeFolder();
});
after(() => fs.rmSync(home, { recursive: true }));

/** A DATA_DIR without a database. */
function dataDirWith(name: string, fill: (folder: string) => void): string {
  const folder = path.join(home, name);
  fs.mkdirSync(folder, { mode: 0o711 });
  fill(folder);
  return folder;
}

describe('backup', () => {
  const target = () => path.join(home, 'backup');

  async function refused(DATA_DIR: string, reason: RegExp): Promise<void> {
    const found = fs.existsSync(DATA_DIR) ? fs.readdirSync(DATA_DIR) : null;
    const { code, stderr } = await pirogue(['backup', target()], { DATA_DIR });
    assert.equal(code, 1, stderr);
    assert.match(stderr, reason);
    assert.deepEqual(fs.existsSync(DATA_DIR) ? fs.readdirSync(DATA_DIR) : null, found, 'nothing is created');
    assert.deepEqual([target(), `${target()}.unfinished`].filter(fs.existsSync), []);
  }

  test('a DATA_DIR without a database is refused, and none is created', async () => {
    const wanted = /there is no database in .*\. Set DATA_DIR to the folder of the service/;
    await refused(path.join(home, 'nowhere'), wanted);
    await refused(
      dataDirWith('empty', () => {}),
      wanted,
    );
    await refused(
      dataDirWith('unmounted', (folder) => fs.mkdirSync(path.join(folder, 'pg18'))),
      wanted,
    );
  });

  test('a database that is gone or only partly restored is refused', async () => {
    await refused(
      dataDirWith('gone', (folder) => fs.symlinkSync('/nowhere/pg18', path.join(folder, 'pg18'))),
      /pg18 points to \/nowhere\/pg18, which is gone\. Bring it back/,
    );
    await refused(
      dataDirWith('half', (folder) => fs.writeFileSync(path.join(folder, 'restore.unfinished'), '')),
      /a restore to .* is not finished/,
    );
  });
});
