import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { documentationPages } from '../../src/edge/openapi/pages.ts';
import { allRoutes } from '../../src/program/program.ts';
import { newFolder, type Program, startProgram } from '../ops/program.ts';
import { type Api, startApi } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { DESKTOP, type Found, newVisitor, openBrowser } from '../setup/browser.ts';

const KEY = 'pk_test.of-the-demo-team';
const LOCAL = 'http://127.0.0.1:8080';

const found: Found = await openBrowser();
let api: Api;
let databases: Databases;
let program: Program;
before(async () => {
  api = await startApi({ workers: false });
  databases = await cloneDatabases();
  program = await startProgram({ dataDir: newFolder(), databases });
});
after(async () => {
  await found.browser?.close();
  await program.stop();
  await databases.drop();
  await api.stop();
});

interface Asking {
  server?: string;
  host?: string;
  peer?: string;
  headers?: Record<string, string>;
}

/** @returns the page as somebody gets it */
async function docs({ server = LOCAL, host = '127.0.0.1:8080', peer = '127.0.0.1', headers = {} }: Asking) {
  const app: FastifyInstance = Fastify();
  documentationPages(allRoutes(api.deps), server, KEY)(app);
  const answer = await app.inject({ url: '/docs', remoteAddress: peer, headers: { host, ...headers } });
  await app.close();
  return answer;
}

test('a browser of this machine gets the demo key with /docs, in a page that no shared cache keeps', async () => {
  for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080']) {
    const { body, headers } = await docs({ host });
    assert.ok(body.includes(`<meta name="sandbox-key" content="${KEY}">`), host);
    assert.equal(headers['cache-control'], 'private, no-cache');
  }
  assert.ok((await docs({ peer: '::ffff:127.0.0.1' })).body.includes(KEY));
});

test('the page is as ever where there is no demo team, as in production', async () => {
  const { body, headers } = await api.call('GET', '/docs', { key: null });
  assert.ok(!body.includes('<meta name="sandbox-key"'));
  assert.equal(headers.get('cache-control'), 'public, no-cache');
});

test('nobody else gets it: another machine, another name for this one, a proxy, a public address', async () => {
  const others: Record<string, Asking> = {
    'another machine': { peer: '192.0.2.7' },
    'a foreign name that leads here': { host: 'rebound.example:8080' },
    'a name that only begins like ours': { host: '127.0.0.1.rebound.example' },
    'a proxy': { headers: { 'x-forwarded-for': '192.0.2.7' } },
    'a tunnel that names its host': { headers: { 'x-forwarded-host': 'me.tunnel.example' } },
    'a proxy that says less': { headers: { via: '1.1 proxy' } },
    'a service with a public address': { server: 'https://pay.example' },
  };
  for (const [title, asking] of Object.entries(others)) {
    const { body, headers } = await docs(asking);
    assert.ok(!body.includes(KEY) && body.includes('<main'), title);
    assert.equal(headers['cache-control'], 'public, no-cache', title);
  }
});

test('the running service in development fills it into every form, and a call works with it', async (t) => {
  if (!found.browser) return t.skip(found.missing);
  const { page, context } = await newVisitor(found.browser, { viewport: DESKTOP });
  await page.goto(`${program.url}/docs`);
  const form = page.locator('#createPayment .try');
  await form.locator('summary').click();
  assert.equal(await form.getByLabel('Public sandbox key').inputValue(), program.keys.sandbox.public);
  await form.getByRole('button', { name: 'Send' }).click();
  await form.locator('.result pre').waitFor();
  assert.match((await form.locator('.result').textContent()) ?? '', /^201 /);
  await context.close();
});
