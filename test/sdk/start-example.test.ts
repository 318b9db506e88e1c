import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, test } from 'node:test';
import { freePort, startApi, until } from '../setup/api.ts';
import { runtimes } from './runtimes.ts';

const root = path.join(import.meta.dirname, '../..');
const RUN = path.join(root, 'scripts/run.mjs');
const WRONG_KEY = `sk_test.${'wrong'.padEnd(43, '0')}`;
const LIMIT_MS = 120_000;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-example-'));
const api = await startApi({ workers: false });
after(async () => {
  await api.stop();
  fs.rmSync(folder, { recursive: true });
});
fs.writeFileSync(path.join(folder, 'keys.json'), JSON.stringify({ base_url: api.url, sandbox: api.keys.sandbox }));

/** What the machine has: it cannot run TypeScript. */
const [old] = runtimes([20]);
const node = old?.node ?? process.execPath;

interface Example {
  text: string;
  code: number | null;
}

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** `npm run example -- …`, under the old Node. @returns what it printed so far, at each moment */
function example(args: string[], env: Record<string, string>, program = 'scripts/example.ts'): Example {
  const { PIROGUE_KEY: _, PIROGUE_URL: __, ...inherited } = process.env;
  const settings = { ...inherited, DATA_DIR: folder, ...env };
  const child = spawn(node, [RUN, program, ...args], { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  const run: Example = { text: '', code: null };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (run.text += part));
  const closed = new Promise<void>((resolve) => {
    child.once('close', (code) => {
      run.code = code ?? -1;
      resolve();
    });
  });
  stops.push(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  return run;
}

const ended = async (run: Example) => {
  await until(
    async () => run.code,
    (code) => code !== null,
    LIMIT_MS,
  );
  return run;
};

/** Orders in the shop at the port. @returns the answer to the form */
async function order(port: string): Promise<Response> {
  const body = new URLSearchParams({ id: randomUUID(), quantity: '2', phone: '+237650000000' });
  return fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST', body, redirect: 'manual' });
}

for (const name of ['shop', 'shop-sdk', 'shop-fetch']) {
  test(`npm run example -- ${name} starts a shop that takes an order, with the demo key, whatever Node npm runs on`, async () => {
    const port = String(await freePort());
    const run = example([name], { PORT: port });
    await until(
      async () => run.text,
      (text) => text.includes(`Shop at http://127.0.0.1:${port}`),
      LIMIT_MS,
    );
    const answer = await order(port);
    assert.equal(answer.status, 303, run.text);
    assert.ok(answer.headers.get('location')?.startsWith(`${api.url}/pay/`));
  });
}

for (const file of ['examples/shop-sdk/server.ts', 'examples/shop-fetch/server.mjs']) {
  test(`${file}: with a key that is rejected, the order fails and the log says why`, async () => {
    const port = String(await freePort());
    const run = example([], { PORT: port, PIROGUE_URL: api.url, PIROGUE_KEY: WRONG_KEY }, file);
    await until(
      async () => run.text,
      (text) => text.includes('Shop at'),
      LIMIT_MS,
    );
    assert.equal((await order(port)).status, 502);
    await until(
      async () => run.text,
      (text) => text.includes(`${api.url} rejects PIROGUE_KEY`),
      LIMIT_MS,
    );
    assert.match(run.text, /API key/i);
    assert.ok(!run.text.includes(WRONG_KEY), 'the key is not printed');
  });
}

test('without a name, or with a wrong one, it lists the examples', async () => {
  const listed = await ended(example([], {}));
  assert.equal(listed.code, 0);
  assert.match(listed.text, /npm run example -- shop {8}a shop in TypeScript/);
  const wrong = await ended(example(['shopp'], {}));
  assert.equal(wrong.code, 1);
  assert.match(wrong.text, /there is no example "shopp".\n\n.*\n.*\n.* shop-fetch /);
});

test('a rejected key, a service that is down, a taken port and a missing keys.json are reported before the shop starts', async () => {
  const port = String(await freePort());
  const cases: [Record<string, string>, RegExp][] = [
    [{ PIROGUE_KEY: WRONG_KEY }, /rejects PIROGUE_KEY: 401 .+\nUnset PIROGUE_KEY/],
    [{ PIROGUE_URL: 'http://127.0.0.1:1' }, /does not respond: run "npm start"/],
    [{ DATA_DIR: path.join(folder, 'nothing') }, /keys\.json does not exist: run "npm start" first/],
  ];
  for (const [env, wanted] of cases) {
    const { code, text } = await ended(example(['shop'], { PORT: port, ...env }));
    assert.equal(code, 1);
    assert.match(text, wanted);
    assert.ok(!text.includes(WRONG_KEY), 'the key is not printed');
  }
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { code, text } = await ended(example(['shop'], { PORT: String((taken.address() as AddressInfo).port) }));
  taken.close();
  assert.deepEqual([code, /port \d+ is taken: choose another, such as PORT=/.test(text)], [1, true], text);
});
