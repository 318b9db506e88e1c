import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../src/platform/db/embedded/address.ts';
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

describe('doctor', () => {
  /** The finding about the databases; the folder has to stay as it is. */
  async function finding(name: string, fill: (folder: string) => void) {
    const DATA_DIR = dataDirWith(`doctor-${name}`, fill);
    const found = fs.readdirSync(DATA_DIR);
    const { stdout } = await pirogue(['doctor', '--json'], { DATA_DIR, PORT: String(await freePort()) });
    assert.deepEqual(fs.readdirSync(DATA_DIR), found);
    return JSON.parse(stdout).checks.find((check: { name: string }) => check.name === 'databases');
  }

  test('a broken link to the database fails', async () => {
    const { status, detail, advice } = await finding('gone', (folder) =>
      fs.symlinkSync('/nowhere/pg18', path.join(folder, 'pg18')),
    );
    assert.equal(status, 'fail', detail);
    assert.match(detail, /pg18 points to \/nowhere\/pg18, which is gone/);
    assert.match(advice, /mount its disk/);
  });

  test('a restore that is not finished fails', async () => {
    const { status, detail, advice } = await finding('half', (folder) =>
      fs.writeFileSync(path.join(folder, 'restore.unfinished'), ''),
    );
    assert.equal(status, 'fail', detail);
    assert.match(detail, /a restore to .* is not finished/);
    assert.match(advice, /run "pirogue restore" again/);
  });

  test('traces of a database are a warning: it may be elsewhere, or its disk not mounted', async () => {
    const write = (name: string) => (folder: string) =>
      fs.writeFileSync(path.join(folder, name), randomBytes(32).toString('base64'), { mode: 0o600 });
    const traces = {
      'secrets.key': write('secrets.key'),
      'keys.json': write('keys.json'),
      pg18: (folder: string) => fs.mkdirSync(path.join(folder, 'pg18')),
    };
    for (const [name, leave] of Object.entries(traces)) {
      const { status, detail, advice } = await finding(name, leave);
      assert.equal(status, 'warn', detail);
      assert.match(detail, new RegExp(`there is no database in .*, although it has ${name}`));
      assert.match(advice, /correct DATA_DIR or mount its disk/);
    }
  });
});
