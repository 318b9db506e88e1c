import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { after, test } from 'node:test';
import { createSender, type SendOptions, type SendResult } from '../../src/kit/fetch.ts';
import { until } from '../setup/api.ts';
import { startReceiver } from '../setup/receiver.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
});

async function listen(server: Server | TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => 'closeAllConnections' in server && server.closeAllConnections(),
  );
  return (server.address() as { port: number }).port;
}

function senderThatFinds(addresses: Record<string, string[]> = {}, idle_ms?: number) {
  const lookups: string[] = [];
  const sender = createSender(async (hostname) => {
    lookups.push(hostname);
    return addresses[hostname] ?? [];
  }, idle_ms);
  closing.push(sender.close);
  const send = (options: Partial<SendOptions> & { url: string }) =>
    sender.send({ method: 'POST', guard: 'none', body: '{}', timeout_ms: 30_000, max_bytes: 4_096, ...options });
  return { send, lookups };
}

async function serverThat(answers: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answers))}`;
}

function failed(result: SendResult): Extract<SendResult, { kind: 'failed' }> {
  assert.equal(result.kind, 'failed');
  return result as Extract<SendResult, { kind: 'failed' }>;
}

test('request and response bodies arrive byte for byte', async () => {
  const seen: Buffer[] = [];
  const url = await serverThat(async (request, response) => {
    for await (const chunk of request) seen.push(chunk as Buffer);
    response.writeHead(201, { 'x-mark': request.headers['x-mark'] }).end(request.method);
  });
  const { send } = senderThatFinds();
  const body = Buffer.from([0, 255, 10, 13, 128]);
  const result = await send({ url: `${url}/a?b=c`, method: 'PUT', body, headers: { 'X-Mark': 'here' } });
  assert.ok(result.kind === 'answered');
  assert.deepEqual([result.status, result.body, result.truncated, result.headers['x-mark']], [201, 'PUT', false, 'here']);
  assert.deepEqual(Buffer.concat(seen), body);
});

test('connections are reused: two in turn, because undici releases one a turn after its response', async () => {
  const ports = new Set<number>();
  const server = createServer((request, response) => {
    ports.add(request.socket.remotePort as number);
    request.resume();
    response.end('ok');
  });
  // Neither side closes one that a slow test does not use for seconds.
  server.keepAliveTimeout = 0;
  const url = `http://127.0.0.1:${await listen(server)}`;
  const { send } = senderThatFinds({}, 60_000);
  for (let i = 0; i < 10; i++) assert.equal((await send({ url })).kind, 'answered');
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});

test('a connection without a request is closed after the time that we chose, though the server offers to keep it', async () => {
  const server = createServer((_, response) => response.setHeader('keep-alive', 'timeout=600').end('ok'));
  server.keepAliveTimeout = 0;
  const url = `http://127.0.0.1:${await listen(server)}`;
  assert.equal((await senderThatFinds({}, 50).send({ url })).kind, 'answered');
  await until(
    () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    (count) => count === 0,
  );
});

test('a redirect is returned as a response and not followed', async () => {
  let calls = 0;
  const url = await serverThat((_, response) => {
    calls++;
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const result = await senderThatFinds().send({ url });
  assert.ok(result.kind === 'answered');
  assert.deepEqual([result.status, calls], [302, 1]);
});

test('an endless response is truncated at the limit and the socket is destroyed', async () => {
  const closed = Promise.withResolvers<void>();
  const chunk = Buffer.alloc(1 << 20, 'x');
  const url = await serverThat((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more).on('close', closed.resolve);
    more();
  });
  const before = process.memoryUsage().rss;
  const result = await senderThatFinds().send({ url, max_bytes: 4_096 });
  await closed.promise;
  assert.ok(result.kind === 'answered');
  assert.deepEqual([result.body.length, result.truncated], [4_096, true]);
  assert.ok(process.memoryUsage().rss - before < 64 << 20, 'less than 64 MB more');
});

test('a response of exactly the limit is not truncated', async () => {
  const url = await serverThat((_, response) => response.end('12345678'));
  const result = await senderThatFinds().send({ url, max_bytes: 8 });
  assert.ok(result.kind === 'answered');
  assert.deepEqual([result.body, result.truncated], ['12345678', false]);
});

test('the deadline covers waiting for headers', async () => {
  const url = await serverThat(() => {});
  const result = failed(await senderThatFinds().send({ url, timeout_ms: 2_000 }));
  assert.deepEqual([result.error, result.sent], ['timeout', true]);
  assert.ok(result.duration_ms >= 1_995 && result.duration_ms < 30_000, `${result.duration_ms} ms`);
});

test('the deadline covers a body that trickles', async () => {
  const url = await serverThat((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    const end = setTimeout(() => response.end(), 60_000);
    response.on('close', () => [timer, end].forEach(clearTimeout));
  });
  const result = failed(await senderThatFinds().send({ url, timeout_ms: 2_000 }));
  assert.deepEqual([result.error, result.sent], ['timeout', true]);
});

test('a connection that breaks after the request was sent has an unknown outcome', async () => {
  const url = await serverThat((request) => request.socket.destroy());
  const result = failed(await senderThatFinds().send({ url }));
  assert.deepEqual([result.error, result.sent], ['broken', true]);
});

test('a refused connection is reported as not sent', async () => {
  const result = failed(await senderThatFinds().send({ url: 'http://127.0.0.1:1/' }));
  assert.deepEqual([result.error, result.sent], ['refused', false]);
});

test('a failed name lookup is reported as not sent', async () => {
  const result = failed(await senderThatFinds().send({ url: 'http://no-such-name.invalid/' }));
  assert.deepEqual([result.error, result.sent], ['dns', false]);
});

test('an untrusted certificate is reported as not sent', async () => {
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const result = failed(await senderThatFinds().send({ url: receiver.url }));
  assert.deepEqual([result.error, result.sent, receiver.received.length], ['tls', false, 0]);
});

test('after a timeout during TLS nothing is sent, even if the handshake completes later', async () => {
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const slow = createTcpServer((socket) => {
    setTimeout(() => {
      const onward = connect(Number(new URL(receiver.url).port), '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      socket.on('error', () => onward.destroy());
      onward.on('error', () => socket.destroy());
    }, 300);
  });
  const url = `https://127.0.0.1:${await listen(slow)}/`;
  const result = failed(await senderThatFinds().send({ url, guard: 'public_or_loopback', timeout_ms: 100 }));
  assert.deepEqual([result.error, result.sent], ['timeout', false]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(receiver.received.length, 0);
});

const DISGUISES = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://０１７７.0.0.1/',
  'https://127。0。0。1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://127.0.0.1./',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[2002:7f00:1::]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://x.localhost/',
];

test('guarded: an IP literal that is not public is rejected before any connection, in every notation', async () => {
  const { send, lookups } = senderThatFinds();
  for (const url of DISGUISES) {
    const result = failed(await send({ url, guard: 'public' }));
    assert.deepEqual([result.error, result.sent], ['blocked', false], url);
  }
  assert.deepEqual(lookups, []);
});

test('guarded: only https is accepted', async () => {
  const result = failed(await senderThatFinds().send({ url: 'http://8.8.8.8/', guard: 'public' }));
  assert.deepEqual([result.error, result.sent], ['blocked', false]);
});

test('guarded: a name is rejected unless all its addresses are public', async () => {
  const { send } = senderThatFinds({
    'inside.example': ['10.0.0.1'],
    'both.example': ['8.8.8.8', '127.0.0.1'],
    'both6.example': ['8.8.8.8', '::1'],
    'none.example': [],
  });
  for (const name of ['inside', 'both', 'both6', 'none']) {
    const result = failed(await send({ url: `https://${name}.example/`, guard: 'public' }));
    assert.deepEqual([result.error, result.sent], ['blocked', false], name);
    assert.doesNotMatch(result.detail, /\d+\.\d+\.\d+\.\d+|::1/, 'the detail does not tell where the name leads');
  }
});

test('guarded: a name that does not exist fails exactly as one of our network does', async () => {
  const failure = async (resolve: () => Promise<string[]>) => {
    const sender = createSender(resolve);
    closing.push(sender.close);
    const asked = {
      method: 'POST',
      url: 'https://vault.internal/',
      guard: 'public',
      timeout_ms: 30_000,
      max_bytes: 100,
    } as const;
    const { error, detail } = failed(await sender.send(asked));
    return [error, detail];
  };
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(`queryA ${code} vault.internal`), { code, syscall: 'queryA' });
  };
  const inside = await failure(async () => ['10.0.0.1']);
  assert.deepEqual(await failure(failing('ENOTFOUND')), inside);
  assert.deepEqual(await failure(failing('ENODATA')), inside);
  assert.equal((await failure(failing('ESERVFAIL')))[0], 'dns');
});

test('guarded: a name is resolved once for each connection, so DNS rebinding never reaches loopback', async () => {
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const { port } = new URL(receiver.url);
  let lookups = 0;
  const sender = createSender(async () => (lookups++ % 2 === 0 ? ['203.0.113.1'] : ['127.0.0.1']));
  closing.push(sender.close);
  for (const guard of ['public', 'public_or_loopback'] as const) {
    for (let i = 0; i < 4; i++) {
      const url = `https://rebind.example:${port}/`;
      const result = failed(await sender.send({ method: 'POST', url, guard, timeout_ms: 30_000, max_bytes: 100 }));
      assert.deepEqual([result.error, result.sent], ['blocked', false]);
    }
  }
  assert.equal(lookups, 8);
  assert.equal(receiver.received.length, 0);
});

test('guarded: the connection uses the validated address, not a second lookup by the system', async () => {
  const { send, lookups } = senderThatFinds({ 'pinned.example': ['192.88.98.1'] });
  const result = failed(await send({ url: 'https://pinned.example/', guard: 'public', timeout_ms: 300 }));
  // The name does not exist: only a connection attempt to the pinned address can end in anything but a DNS failure.
  assert.notEqual(result.error, 'dns');
  assert.notEqual(result.error, 'blocked');
  assert.deepEqual([result.sent, lookups], [false, ['pinned.example']]);
});

test('loopback allowed: a self-signed certificate is accepted from loopback by address and by name', async () => {
  const receiver = await startReceiver();
  closing.push(receiver.close);
  const { send, lookups } = senderThatFinds();
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', 'localhost', 'shop.localhost']) {
    const result = await send({ url: `https://${host}:${port}/`, guard: 'public_or_loopback' });
    assert.equal(result.kind, 'answered', host);
  }
  assert.deepEqual([receiver.received.length, lookups], [3, []]);
});

test('loopback allowed: plain http, private addresses and other names that resolve to loopback are still rejected', async () => {
  const { send } = senderThatFinds({ 'lvh.example': ['127.0.0.1'] });
  for (const url of [
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://lvh.example/',
    'http://8.8.8.8/',
    'https://0.0.0.0/',
  ]) {
    assert.equal(failed(await send({ url, guard: 'public_or_loopback' })).error, 'blocked', url);
  }
});
