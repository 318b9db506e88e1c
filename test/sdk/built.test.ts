import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startApi } from '../setup/api.ts';
import { openBrowser } from '../setup/browser.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-sdk-'));
const api = await startApi({ workers: false });
after(async () => {
  await api.stop();
  fs.rmSync(folder, { recursive: true });
});

/** The package as a merchant has it in node_modules. */
const installed = path.join(folder, 'node_modules/pirogue-sdk');
fs.mkdirSync(installed, { recursive: true });
fs.copyFileSync(path.join(root, 'sdk/package.json'), path.join(installed, 'package.json'));
execFileSync(process.execPath, [path.join(root, 'sdk/build.ts'), path.join(installed, 'dist')]);
const built = path.join(installed, 'dist');

test('the build is plain modules: no TypeScript, no Node API, no import from outside the package', () => {
  const files = fs.readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(js|ts)$/.test(name));
  assert.ok(files.includes('index.js') && files.includes('index.d.ts'));
  for (const name of files) {
    const text = fs.readFileSync(path.join(built, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, target]) => target ?? '');
    for (const target of imports) assert.match(target, /^\.\.?\/[\w./-]+\.js$/, `${name} imports ${target}`);
    assert.doesNotMatch(text, /\b(process|Buffer|require)\b[.(]/, name);
  }
});

const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2022'];
const WITH_NODE = ['--module', 'nodenext', '--lib', 'es2022', '--types', 'node', '--typeRoots'];
const FLAVOURS = [
  ['--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--types', ''],
  ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', ''],
  [...WITH_NODE, path.join(root, 'node_modules/@types')],
];

/** @returns what the compiler says about the files of the folder */
async function compile(flavour: string[], files: string[]): Promise<string> {
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const args = [path.join(root, 'node_modules/typescript-7/bin/tsc'), ...STRICT, ...flavour, ...files];
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
  return stdout;
}

test('its types accept valid calls and reject others, with and without the types of Node or the browser', async () => {
  const consumer = fs.readFileSync(path.join(import.meta.dirname, 'consumer.ts'), 'utf8');
  fs.writeFileSync(path.join(folder, 'consumer.ts'), consumer.replace('../../sdk/src/index.ts', 'pirogue-sdk'));
  for (const flavour of FLAVOURS) assert.equal(await compile(flavour, ['consumer.ts']), '', flavour.join(' '));
});

test('every example in its README compiles', async () => {
  const readme = fs.readFileSync(path.join(root, 'sdk/README.md'), 'utf8');
  const samples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, sample]) => sample ?? '');
  const given = [
    'declare function show(text: string): void;',
    'declare function mark(errors: Readonly<Record<string, readonly string[]>>): void;',
    'declare function later(key: string | null): void;',
    'declare function markPaid(reference: string | null, amount: number, currency: string): Promise<void>;',
    'declare const id: string;',
    'declare const secret: string;',
  ].join('\n');
  const client = "declare const pirogue: import('pirogue-sdk').Pirogue;";
  const files = samples.map((sample, i) => {
    const name = `sample-${i}.ts`;
    const known = sample.includes('const pirogue =') ? given : `${given}\n${client}`;
    fs.writeFileSync(path.join(folder, name), `${sample}\n${known}\nexport {};\n`);
    return name;
  });
  assert.equal(files.length, 5);
  assert.equal(await compile(FLAVOURS[2] ?? [], files), '');
});

test('the built package runs in a browser, with a public key', async (t) => {
  const { browser, missing } = await openBrowser();
  if (!browser) return t.skip(missing);
  const shop = await startShop();
  try {
    const page = await browser.newPage();
    await page.goto(shop.url);
    const result = await page.evaluate(
      async ([address, baseUrl, key]) => {
        const { Pirogue, AuthenticationError } = (await import(address)) as typeof import('../../sdk/src/index.ts');
        const order = { amount: 100, currency: 'XAF', phone: '+237650000000' } as const;
        const { transaction } = await new Pirogue(key, { baseUrl }).payments.create(order);
        const stranger = new Pirogue('pk_test.nobody', { baseUrl, retries: 0 });
        const error: unknown = await stranger.payments
          .list()
          .page()
          .catch((thrown: unknown) => thrown);
        return { status: transaction.status, told: error instanceof AuthenticationError && error.requestId !== null };
      },
      [`${shop.url}/index.js`, api.url, api.keys.sandbox.public] as const,
    );
    assert.deepEqual(result, { status: 'pending', told: true });
  } finally {
    await browser.close();
    shop.close();
  }
});

/** A page with the package, of another origin than the service: the browser asks it for permission, as it does in a shop. */
async function startShop(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const file = path.join(built, request.url ?? '');
    if (request.url === '/') return void response.setHeader('content-type', 'text/html').end('<!doctype html>');
    if (!fs.existsSync(file)) return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/javascript').end(fs.readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
