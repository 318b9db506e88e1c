import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { type Api, startApi } from '../setup/api.ts';

let api: Api;

before(async () => {
  api = await startApi({ workers: false, env: { REQUEST_TIMEOUT_MS: '1000' } });
});
after(() => api.stop());

/** Sends a byte now and then for ever. @returns all that came back until the server hung up */
function dribble(head: string, drop: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(api.config.port, '127.0.0.1');
    let answer = '';
    const drip = setInterval(() => socket.write(drop), 50);
    const limit = setTimeout(() => reject(new Error(`still connected: ${answer}`)), 120_000);
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      clearInterval(drip);
      clearTimeout(limit);
      resolve(answer);
    });
    socket.write(head);
  });
}

test('400 headers that are never completed, and the connection is closed', async () => {
  const answer = await dribble('GET /payments HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(answer, /\r\nX-Request-Id: req_/);
});

test('400 a body that is never completed, and the connection is closed', async () => {
  const head = `POST /payments HTTP/1.1\r\nHost: x\r\nAuthorization: ${api.keys.sandbox.secret}\r\nContent-Length: 100000\r\n\r\n{"a":"`;
  assert.match(await dribble(head, 'a'), /^HTTP\/1\.1 400 Bad Request\r\n/);
});

test('slow clients do not delay other clients', async () => {
  const slow = Array.from({ length: 200 }, () => dribble('GET / HTTP/1.1\r\nX: ', 'a'));
  assert.equal((await api.call('GET', '/payments')).status, 200);
  await Promise.all(slow);
});

test('400 headers or a query of more than 16 KB', async () => {
  const long = await api.call('GET', '/payments', { headers: { 'x-long': 'a'.repeat(17_000) } });
  assert.equal(long.status, 400);
  const query = await api.call('GET', `/payments?search=${'a'.repeat(20_000)}`);
  assert.equal(query.status, 400);
});
