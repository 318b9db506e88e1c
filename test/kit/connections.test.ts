import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, test } from 'node:test';
import { buildConnector } from 'undici';
import { Connections } from '../../src/kit/connections.ts';
import { until } from '../setup/api.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
});

/** A server whose answers the test gives. */
async function world(per_origin: number) {
  const asked: { path: string; response: ServerResponse }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume();
    asked.push({ path: request.url ?? '', response });
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connections = new Connections(buildConnector({ allowH2: false, timeout: 5_000 }), per_origin);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  closing.push(() => connections.close(), close);
  const send = (path: string) =>
    new Promise<string>((resolve) =>
      connections.dispatch(
        origin,
        { path, method: 'POST', body: '{}' },
        {
          onResponseEnd: () => resolve('answered'),
          onResponseError: () => resolve('failed'),
        },
      ),
    );
  return {
    asked,
    sockets,
    connections,
    send,
    close,
    arrived: (count: number) =>
      until(
        async () => asked.length,
        (n) => n >= count,
      ),
  };
}

test('above the maximum, requests wait and are sent in order over the connections that become free', async () => {
  const { asked, sockets, connections, send, arrived } = await world(2);
  const all = ['/0', '/1', '/2', '/3', '/4'].map(send);
  for (let i = 0; i < 5; i++) {
    await arrived(Math.min(5, i + 2));
    assert.ok(asked.length <= i + 2, 'one request at a time on each connection');
    asked[i]?.response.end('ok');
  }
  assert.deepEqual(await Promise.all(all), Array(5).fill('answered'));
  assert.deepEqual(
    asked.slice(2).map(({ path }) => path),
    ['/2', '/3', '/4'],
  );
  assert.equal(sockets.size, 2);
  assert.equal(connections.size, 2);
});

test('the connection that was used last is used next', async () => {
  const { asked, sockets, send, arrived } = await world(9);
  for (let i = 0; i < 5; i++) {
    const sent = send(`/${i}`);
    await arrived(i + 1);
    asked[i]?.response.end('ok');
    await sent;
  }
  assert.equal(sockets.size, 1);
});

test('a free connection that the server closes is forgotten, and the next request opens another', async () => {
  const { asked, sockets, connections, send, arrived } = await world(1);
  const first = send('/first');
  await arrived(1);
  asked[0]?.response.end('ok');
  assert.equal(await first, 'answered');
  for (const socket of sockets) socket.destroy();
  await until(
    async () => connections.size,
    (size) => size === 0,
  );
  const second = send('/second');
  await arrived(2);
  asked[1]?.response.end('ok');
  assert.equal(await second, 'answered');
  assert.equal(sockets.size, 2);
});

test('a request whose connection breaks frees its place for the one that waits', async () => {
  const { asked, sockets, connections, send, arrived } = await world(1);
  const [first, second] = [send('/first'), send('/second')];
  await arrived(1);
  for (const socket of sockets) socket.destroy();
  assert.equal(await first, 'failed');
  await arrived(2);
  asked[1]?.response.end('ok');
  assert.equal(await second, 'answered');
  assert.deepEqual([asked.length, connections.size], [2, 1]);
});

test('while a server cannot be reached every request fails, and nothing is kept', async () => {
  const { connections, send, close } = await world(2);
  close();
  assert.deepEqual(await Promise.all(['/0', '/1', '/2', '/3', '/4'].map(send)), Array(5).fill('failed'));
  await until(
    async () => connections.size,
    (size) => size === 0,
  );
});
