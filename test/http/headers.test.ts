import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

let api: Api;

before(async () => {
  api = await startApi({ workers: false, env: { PUBLIC_URL: 'https://pay.example' } });
});
after(() => api.stop());

const at = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${api.config.port}${path}`, { method, headers, redirect: 'manual' });

/** A hosted page of a payment that was just made. */
async function page(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${api.config.port}/payments`, {
    method: 'POST',
    headers: { authorization: api.keys.sandbox.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 500, currency: 'XAF', phone: '+237650000000' }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: read as the document has it
  const { authorization_url } = (await response.json()) as any;
  return new URL(authorization_url).pathname;
}

test('pages run only their own scripts, cannot be framed and send no referrer', async () => {
  for (const path of [await page(), '/docs', '/pay/no-such-token']) {
    const { headers } = await at(path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/, path);
    assert.equal(headers.get('x-frame-options'), 'DENY', path);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
  }
});

test('every response forbids MIME sniffing, and requires https when the public address is https', async () => {
  for (const path of [await page(), '/docs', '/openapi.json', '/health/live', '/payments', '/nowhere', '/_callbacks/none']) {
    const { headers } = await at(path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{8}/, path);
  }
});

test('CORS allows other origins only on routes of the public key and on the OpenAPI document', async () => {
  const origin = { origin: 'https://shop.example' };
  const allowed = async (path: string, method = 'GET') =>
    (await at(path, origin, method)).headers.get('access-control-allow-origin');
  for (const path of ['/payments', '/channels', '/openapi.json']) assert.equal(await allowed(path), '*', path);
  for (const path of ['/balance', '/transfers', '/refunds', '/webhooks', '/health/ready', '/docs', '/nowhere', await page()]) {
    assert.equal(await allowed(path), null, path);
  }
  assert.equal(await allowed('/balance', 'OPTIONS'), null);
  const { headers } = await at('/payments', origin);
  assert.equal(headers.get('access-control-allow-credentials'), null);
});
