import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { clientAddress, proxyTrust } from '../../src/edge/http/client-address.ts';

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
