import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { startApi, until } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const ORDER = { amount: 100, currency: 'XAF', phone: '1' };
const { secret } = api.keys.sandbox;
const KB_256 = 256 * 1024;

/** A body of exactly so many bytes. */
function sized(bytes: number): string {
  const empty = JSON.stringify({ ...ORDER, padding: '' });
  return JSON.stringify({ ...ORDER, padding: 'x'.repeat(bytes - empty.length) });
}

test('201 a body of 256 KB', async () => {
  assert.equal((await api.call('POST', '/payments', { raw: sized(KB_256) })).status, 201);
});

test('400 a body one byte over the limit, and the connection stays usable', async () => {
  const { status, body } = await api.call('POST', '/payments', { raw: sized(KB_256 + 1) });
  assert.deepEqual([status, body.code, body.status], [400, 400, 'Bad Request']);
  assert.match(body.message, /256 KB/);
  assert.equal((await api.call('GET', '/payments')).status, 200);
});

test('400 a body without a declared length that exceeds the limit', async () => {
  const stream = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 30; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
      controller.close();
    },
  });
  const response = await fetch(`${api.url}/payments`, {
    method: 'POST',
    headers: { authorization: secret, 'content-type': 'application/json' },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  assert.equal(response.status, 400);
});

const TYPES = [
  '',
  'garbage',
  ';;;',
  'multipart/form-data; boundary=x',
  'text/html',
  'application/json; charset=utf-16',
  'application/octet-stream',
];

for (const type of TYPES) {
  test(`a content type of ${JSON.stringify(type)} gets 201 for JSON or 400, and 400 for anything else`, async () => {
    const headers = { 'content-type': type };
    const good = await api.call('POST', '/payments', { raw: JSON.stringify(ORDER), headers });
    assert.ok(good.status === 201 || good.status === 400, String(good.status));
    const bad = await api.call('POST', '/payments', {
      raw: '--x\r\nContent-Disposition: form-data; name="amount"\r\n\r\n1\r\n--x--',
      headers,
    });
    assert.deepEqual([bad.status, bad.body.code], [400, 400]);
  });
}

/** Sends bytes as they are and reads until the server hangs up or has answered. */
function raw(bytes: string | Buffer): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const socket = net.connect(Number(port), hostname);
    let text = '';
    const done = () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head: head.toLowerCase(), body });
      socket.destroy();
    };
    socket.setTimeout(60_000, () => reject(new Error(`no answer to ${String(bytes).slice(0, 60)}: ${text}`)));
    socket.on('data', (chunk) => {
      text += chunk;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      const whole = text.includes('\r\n\r\n') && Buffer.byteLength(text.split('\r\n\r\n')[1] ?? '') >= length;
      if (whole || text.endsWith('\r\n0\r\n\r\n')) done();
    });
    socket.on('end', done).on('error', reject);
    socket.write(bytes);
  });
}

const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: ${secret}`, ...headers, '', ''].join('\r\n');

const REQUESTS: [what: string, bytes: string | Buffer, statuses: number[]][] = [
  ['a malformed URL', head('GET', '/payments/%'), [400, 404]],
  ['a malformed URL with bad UTF-8', head('GET', '/payments/%C3%28'), [400, 404]],
  ['a malformed query', head('GET', '/payments?search=%'), [200, 400, 422]],
  ['an absolute URL', head('GET', 'http://evil.example/payments'), [200, 400, 404]],
  ['a path of 10,000 characters', head('GET', `/${'a'.repeat(10_000)}`), [400, 404]],
  ['a header of 20 KB', head('GET', '/payments', `X-Big: ${'x'.repeat(20_000)}`), [400]],
  ['3,000 headers', head('GET', '/payments', ...Array.from({ length: 3_000 }, (_, i) => `X-${i}: 1`)), [200, 400]],
  ['a header without a name', head('GET', '/payments', ': x'), [400]],
  ['a header with NUL', head('GET', '/payments', 'X-A: a\u0000b'), [400]],
  ['no HTTP at all', 'hello\r\n\r\n', [400]],
  ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), [400]],
  ['HTTP/2 in plain', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['an unknown method', head('BREW', '/payments'), [405]],
  ['an unknown method with a body', head('BREW', '/payments', 'Content-Length: 2').concat('{}'), [405]],
  ['an unknown method of an unknown path', head('BREW', '/nothing'), [404]],
  ['an unknown method without a key', 'BREW /payments HTTP/1.1\r\nHost: x\r\n\r\n', [401]],
  ['an unknown method without an end of its headers', 'BREW /payments HTTP/1.1\r\nHost: x\r\n', [400]],
  ['an unknown method with a header that is none', head('BREW', '/payments', 'nothing'), [400]],
  ['two lengths', head('POST', '/payments', 'Content-Length: 2', 'Content-Length: 3').concat('{}'), [400]],
  [
    'a length and chunks',
    head('POST', '/payments', 'Content-Length: 2', 'Transfer-Encoding: chunked').concat('0\r\n\r\n'),
    [400],
  ],
  ['a negative length', head('POST', '/payments', 'Content-Length: -1'), [400]],
  ['a bad chunk', head('POST', '/payments', 'Transfer-Encoding: chunked').concat('zz\r\n'), [400]],
  ['no Host', `GET /payments HTTP/1.1\r\nAuthorization: ${secret}\r\n\r\n`, [400]],
  ['two Authorization headers', head('GET', '/payments', 'Authorization: sk_test.x'), [200, 400, 401]],
  ['two request ids', head('GET', '/payments', 'X-Request-Id: a', 'X-Request-Id: b'), [200]],
  ['a broken traceparent', head('GET', '/payments', 'traceparent: 00-zz', 'tracestate: \u00ff'), [200]],
  ['Expect that nobody knows', head('GET', '/payments', 'Expect: the-unexpected'), [200, 400]],
];

for (const [what, bytes, statuses] of REQUESTS) {
  test(`${statuses.join(' or ')} for ${what}, with ids on it`, async () => {
    const { status, head: answered, body } = await raw(bytes);
    assert.ok(statuses.includes(status), `${status} ${body.slice(0, 200)}`);
    for (const name of ['x-request-id', 'x-trace-id', 'traceparent', 'content-type: application/json'])
      assert.ok(answered.includes(name), `${name} in ${answered}`);
    if (status >= 400) {
      const { code, status: phrase, message } = JSON.parse(body);
      assert.deepEqual([code, typeof phrase, typeof message], [status, 'string', 'string']);
    }
  });
}

test('a client that disconnects in the middle of its body affects no other client', async () => {
  for (let i = 0; i < 20; i++) {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write(head('POST', '/payments', 'Content-Type: application/json', 'Content-Length: 1000').concat('{"amount":'));
    socket.destroy();
  }
  assert.equal((await api.call('POST', '/payments', { body: ORDER })).status, 201);
});

test('request data cannot inject a response header', async () => {
  const { status, headers } = await api.call('GET', '/payments', {
    headers: { 'x-request-id': 'a', 'x-service-version': '2026-08-01', traceparent: 'x' },
  });
  assert.deepEqual([status, headers.get('x-request-id')], [200, 'a']);
  const { head: answered } = await raw(head('GET', '/payments', 'X-Request-Id: a\rX-Evil: 1'));
  assert.doesNotMatch(answered, /\nx-evil/);
});

test('an unknown method is answered with the methods of the path, under the id that was sent', async () => {
  const { status, head: answered } = await raw(head('BREW', '/payments', 'X-Request-Id: kettle'));
  assert.equal(status, 405);
  assert.match(answered, /allow: .*get.*post/);
  assert.match(answered, /x-request-id: kettle/);
});

test('a request before one with an unknown method on the same connection is processed once', async () => {
  const before = await api.call('GET', '/payments');
  const body = JSON.stringify({ amount: 500, currency: 'XAF', phone: '+237650000000' });
  const post = head('POST', '/payments', 'Content-Type: application/json', `Content-Length: ${body.length}`) + body;
  await raw(post + head('BREW', '/payments'));
  const created = async () => (await api.call('GET', '/payments')).body.meta.total - before.body.meta.total;
  await until(created, (count) => count > 0);
  assert.equal(await created(), 1);
});
