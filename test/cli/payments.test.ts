import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { ensureDemoTeam } from '../../src/program/start/demo.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { makeFolder, parsed, pirogue } from './command.ts';
import { merchantEnv } from './listening.ts';

let api: Api;
let folder: string;
before(async () => {
  api = await startApi();
  folder = makeFolder();
});
after(async () => {
  await api.stop();
  fs.rmSync(folder, { recursive: true });
});

const ARGS = ['payments', 'create', '--amount', '2500.5', '--currency', 'ngn', '--email', 'awa@payer.example'];
const run = (args: string[], env: Record<string, string> = {}) =>
  pirogue(args, { ...merchantEnv(api, api.keys.sandbox.secret), ...env });

test('payments create creates a payment and prints the URL of its page', async () => {
  const made = parsed(await run([...ARGS, '--reference', 'A-1', '--description', 'Tea', '--json']));
  const { transaction } = (await api.call('GET', `/payments/${made.id}`)).body;
  const { amount, currency, reference, description } = transaction;
  assert.deepEqual([amount, currency, reference, description], [2500.5, 'NGN', 'A-1', 'Tea']);
  assert.deepEqual([made.status, made.opened], ['pending', false]);
  assert.equal((await fetch(made.authorization_url)).status, 200);
  const { stdout } = await run(ARGS);
  assert.match(stdout, /^payment +trx_test_\w+\namount +2,500\.50 NGN\nstatus +pending\npage +http:\/\/\S+\/pay\/\S+\n$/);
});

test('--open opens the page in the browser; without a browser it only prints a note', async () => {
  const opener = path.join(folder, process.platform === 'darwin' ? 'open' : 'xdg-open');
  fs.writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > "${folder}/address"\n`, { mode: 0o755 });
  const made = parsed(await run([...ARGS, '--open', '--json'], { PATH: `${folder}:${process.env.PATH}` }));
  const address = () => (fs.existsSync(`${folder}/address`) ? fs.readFileSync(`${folder}/address`, 'utf8') : '');
  assert.equal(await until(async () => address(), Boolean), made.authorization_url);
  assert.equal(made.opened, true);
  const { code, stdout, stderr } = await run([...ARGS, '--open'], { PATH: `${folder}/nothing` });
  assert.equal(code, 0);
  assert.match(stdout, /page +http/);
  assert.match(stderr, /no browser could be opened/);
});

test('rejected fields are listed one by one; an invalid amount is rejected before any request', async () => {
  const refused = await run([...ARGS, '--reference', 'x'.repeat(129)]);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /returned 422: .* reference: /);
  const wrong = await run(['payments', 'create', '--amount', 'ten', '--currency', 'XAF', '--phone', '+237650000000']);
  assert.match(wrong.stderr, /ten is not an amount/);
});

test('without a key and an address, those of the demo team written by npm start are used', async () => {
  const dataDir = fs.mkdtempSync(path.join(folder, 'demo-'));
  const { public_url } = api.config;
  await ensureDemoTeam({ ...readConfig({ DATA_DIR: dataDir }), public_url }, api.control, new Date());
  const { id, sandbox } = parsed(await pirogue([...ARGS, '--json'], { DATA_DIR: dataDir }));
  assert.deepEqual([/^trx_test_/.test(id), sandbox], [true, true]);
  const address = await pirogue(ARGS, { DATA_DIR: dataDir, PIROGUE_URL: 'ftp://canary' });
  assert.match(address.stderr, /PIROGUE_URL=ftp:\/\/canary cannot be used/);
});
