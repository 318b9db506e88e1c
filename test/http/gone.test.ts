import assert from 'node:assert/strict';
import fs from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { clientAddress, proxyTrust } from '../../src/edge/http/client-address.ts';
import { buildApi } from '../../src/program/program.ts';
import { AbuseFixture } from '../abuse/fixture.ts';
import { newLink } from '../links/browser.ts';

for (const trusted of [0, 1, ['127.0.0.0/8']]) {
  test(`a caller that has closed its connection has an address, with proxies trusted: ${trusted}`, async () => {
    const server = Fastify({ trustProxy: proxyTrust(trusted) });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    server.get('/', async (request) => {
      request.raw.socket.destroy();
      try {
        resolve(clientAddress(request));
      } catch (error) {
        reject(error);
      }
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((server.server.address() as { port: number }).port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n');
    try {
      assert.equal(await promise, '0.0.0.0');
    } finally {
      socket.destroy();
      await server.close();
    }
  });
}

test('forms of a link and of a hosted page are processed when the payer has closed the connection', async () => {
  const fixture = await AbuseFixture.open();
  const server = buildApi(fixture.api.deps, []);
  server.addHook('onRequest', async ({ raw }) => {
    Object.defineProperty(raw.socket, 'remoteAddress', { value: undefined });
  });
  try {
    const merchant = await fixture.merchant();
    const { url: link } = await newLink(fixture.api, merchant.live.secret);
    const { url: page } = await fixture.payment(merchant);
    for (const url of [link, page]) {
      const shown = await server.inject({ url: new URL(url).pathname, headers: { host: new URL(url).host } });
      const hidden = [...shown.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, ...pair]) => pair);
      const fields = { ...Object.fromEntries(hidden), channel: 'cm.mtn', phone: fixture.number() };
      const answer = await server.inject({
        ...{ method: 'POST', url: new URL(url).pathname, payload: String(new URLSearchParams(fields)) },
        cookies: Object.fromEntries(shown.cookies.map(({ name, value }) => [name, value])),
        headers: { host: new URL(url).host, 'content-type': 'application/x-www-form-urlencoded' },
      });
      assert.equal(answer.statusCode, 303, answer.body);
    }
  } finally {
    await server.close();
    await fixture.api.stop();
  }
});

test('every other file takes the address of a caller from clientAddress', () => {
  const files = fs.readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const reading = files.filter((file) => /\brequest\.ip\b/.test(fs.readFileSync(`src/${file}`, 'utf8')));
  assert.deepEqual(reading, ['edge/http/client-address.ts']);
});
