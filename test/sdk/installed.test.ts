import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { packSdk } from '../../scripts/sdk.ts';
import { startApi } from '../setup/api.ts';
import { runtimes } from './runtimes.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-installed-'));
const shop = path.join(folder, 'shop');
const api = await startApi({ workers: false });
after(async () => {
  await api.stop();
  fs.rmSync(folder, { recursive: true });
});

/** The line with which the README installs the SDK, in a project beside this one's checkout. */
const readme = fs.readFileSync(path.join(root, 'sdk/README.md'), 'utf8');
const line = /^npm install (?:\S+)$/m.exec(readme)?.[0] ?? '';

packSdk(path.join(folder, 'pirogue/sdk'));
fs.mkdirSync(shop);
fs.writeFileSync(path.join(shop, 'package.json'), '{"name":"shop","private":true}');
const offline = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_cache: path.join(folder, 'cache') };
const installing = await run('sh', ['-c', line], { cwd: shop, env: { ...process.env, ...offline } }).catch((error) => error);

test('the line of the README installs the packed SDK in an empty project, without a registry', () => {
  assert.match(line, /\/pirogue\/sdk\/pirogue-sdk-.*\.tgz$/);
  assert.ok(fs.existsSync(path.join(shop, 'node_modules/pirogue-sdk/dist/index.js')), String(installing.stderr));
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'sdk/package.json'), 'utf8'));
  assert.ok(line.endsWith(`-${version}.tgz`), line);
  assert.deepEqual(
    fs.readdirSync(path.join(shop, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['pirogue-sdk'],
  );
});

test('the package has plain modules, their types, a README and the licence, and nothing else', () => {
  const names = fs.readdirSync(path.join(shop, 'node_modules/pirogue-sdk'), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/^.*?(\.d\.ts|\.js)$/, '*$1'));
  assert.deepEqual([...new Set(files)].sort(), ['*.d.ts', '*.js', 'LICENSE', 'README.md', 'package.json']);
});

for (const { major, node, missing } of runtimes([20, 22, 26])) {
  test(`the installed SDK runs under Node ${major}`, { skip: missing }, async () => {
    const program = path.join(shop, 'program.mjs');
    fs.copyFileSync(path.join(import.meta.dirname, 'built-program.mjs'), program);
    const options = { cwd: shop, timeout: 60_000 };
    const { stdout } = await run(String(node), [program, 'pirogue-sdk', api.url, api.keys.sandbox.secret], options);
    const { node: version, ...result } = JSON.parse(stdout);
    assert.match(version, new RegExp(`^v${major}\\.`));
    assert.deepEqual(result, { found: true, missing: true, refused: 'signature_mismatch' });
  });

  test(`require() loads it under Node ${major}`, { skip: missing }, async () => {
    const program = path.join(shop, 'program.cjs');
    const text = `const { Pirogue, API_VERSION } = require('pirogue-sdk');
      const [baseUrl, key] = process.argv.slice(2);
      new Pirogue(key, { baseUrl }).payments.create({ amount: 100, currency: 'XAF', phone: '+237650000000' })
        .then(({ transaction }) => console.log(transaction.status, API_VERSION));`;
    fs.writeFileSync(program, text);
    const { stdout } = await run(String(node), [program, api.url, api.keys.sandbox.secret], { cwd: shop, timeout: 60_000 });
    assert.match(stdout, /^pending \d{4}-\d\d-\d\d\n$/);
  });
}
