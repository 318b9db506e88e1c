import assert from 'node:assert/strict';
import http, { type IncomingHttpHeaders } from 'node:http';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

const CONSOLE = 'console.shop.example';
let api: Api;

before(async () => {
  api = await startApi({ env: { CONSOLE_URL: `https://${CONSOLE}` }, workers: false });
});
after(() => api.stop());

/** Requests a page under a host, as a browser does behind a proxy that passes Host on. */
function ask(path: string, host: string): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const headers = { host, accept: 'text/html' };
    http
      .get(new URL(path, api.url), { headers }, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      })
      .on('error', reject);
  });
}

const statusOf = async (path: string, host: string) => (await ask(path, host)).status;

test('the console answers under its own host only, however that is written', async () => {
  for (const host of [CONSOLE, 'Console.Shop.Example', `${CONSOLE}:443`]) {
    assert.equal(await statusOf('/console/sign-in', host), 200, host);
  }
  const strange = [new URL(api.url).host, `${CONSOLE}:8443`, `${CONSOLE}.evil.example`, 'shop.example', 'evil.example'];
  for (const host of strange) assert.equal(await statusOf('/console/sign-in', host), 404, host);
});

test('the host of the console has no pages of payers, which would share the origin of its sessions', async () => {
  for (const path of [
    '/',
    '/pay/some-token',
    '/pay/some-token/logo',
    '/l/some-token',
    '/invoice/some-token',
    '/docs',
    '/consolery',
  ]) {
    assert.equal(await statusOf(path, CONSOLE), 404, path);
    assert.equal(await statusOf(path, CONSOLE.toUpperCase()), 404, path);
  }
  const payers = new URL(api.url).host;
  assert.deepEqual([await statusOf('/', payers), await statusOf('/docs', payers)], [200, 200]);
  assert.equal(await statusOf('/health/live', CONSOLE), 200);
});

test('cookies are bound to the host, and travel under https only', async () => {
  const { headers } = await ask('/console/sign-in', CONSOLE);
  const [cookie, ...others] = headers['set-cookie'] ?? [];
  assert.deepEqual(others, []);
  assert.match(
    cookie ?? '',
    /^__Host-pirogue_browser=[0-9A-Za-z]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
});
