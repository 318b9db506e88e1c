import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildServer, type Pages } from '../../src/edge/http/server.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { type Api, startApi, until } from '../setup/api.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';
import { call, newFolder, type Program, startProgram } from './program.ts';

/**
 * A process that stops answers what it has accepted, ends every connection, and then does not wait any longer. Half of it is
 * for busy machines.
 */
const SHUTDOWN_MS = 120_000;
const ORDER = { amount: 500, currency: 'XAF', phone: '+237650000000' };
const CLOSES = /^HTTP\/1\.1 (?:[^\r]*\r\n)+connection: close\r\n/i;

const dataDir = newFolder();
const running = new Set<Program>();
let databases: Databases;
let operator: DbPool;
let api: Api;
before(async () => {
  databases = await cloneDatabases();
  operator = openPool({ url: databases.sandbox, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  api = await startApi({ workers: false });
});
after(async () => {
  await api.stop();
  for (const { child } of running) child.kill('SIGKILL');
  await operator.close();
  await databases.drop();
  fs.rmSync(dataDir, { recursive: true });
});

async function start(shutdown_ms = SHUTDOWN_MS): Promise<Program> {
  const program = await startProgram({ role: 'api', dataDir, databases, env: { SHUTDOWN_MS: String(shutdown_ms) } });
  running.add(program);
  return program;
}

/** One connection of a client that closes nothing by itself. */
class Connection {
  /** The beginning of what came, how much came, and its last part. */
  text = '';
  bytes = 0;
  end = '';
  ended = false;
  readonly socket: net.Socket;

  constructor(url: string) {
    this.socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    this.socket.on('data', (part: Buffer) => {
      this.bytes += part.length;
      this.end = part.toString('latin1');
      if (this.text.length < 10_000) this.text += part.toString('latin1');
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.ended = true;
    });
  }

  send(method: string, path: string, { key, body }: { key?: string; body?: unknown } = {}): void {
    const json = body === undefined ? '' : JSON.stringify(body);
    const head = [
      `${method} ${path} HTTP/1.1`,
      'Host: shop.example',
      ...(key ? [`Authorization: ${key}`] : []),
      ...(json ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`] : []),
    ];
    this.socket.write(`${head.join('\r\n')}\r\n\r\n${json}`);
  }

  received(what: string): Promise<unknown> {
    return until(
      async () => this.text,
      (text) => text.includes(what),
    );
  }

  closed(): Promise<unknown> {
    return until(
      async () => this.ended,
      (ended) => ended,
    );
  }
}

/** Sends a payment that waits for a lock, and returns once it waits. */
async function heldPayment(program: Program): Promise<{ connection: Connection; release: () => Promise<void> }> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holder = operator.transaction(async (tx) => {
    await tx.run(sql`lock table payments in access exclusive mode`);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  const connection = new Connection(program.url);
  connection.send('POST', '/payments', { key: program.keys.sandbox.secret, body: ORDER });
  await until(
    () => operator.all(sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    (waiting) => waiting.length > 0,
  );
  return {
    connection,
    release: () => {
      released.resolve();
      return holder;
    },
  };
}

/** Sends the signal and returns once the process has begun to stop. */
async function signalled(program: Program): Promise<{ exit: Promise<number | null>; at: number }> {
  const at = performance.now();
  const exit = program.stop();
  await logged(program, 'stopping: SIGTERM');
  return { exit, at };
}

const logged = (program: Program, message: string) =>
  until(
    async () => program.log(),
    (log) => log.includes(`"msg":"${message}"`),
  );

test('a request that is under way at the signal is answered, its connection is closed, and the process exits', async () => {
  const program = await start();
  const { connection, release } = await heldPayment(program);
  const { exit, at } = await signalled(program);
  await release();
  await connection.closed();
  assert.match(connection.text, /^HTTP\/1\.1 201 /);
  assert.match(connection.text, CLOSES);
  assert.equal(await exit, 0);
  assert.ok(performance.now() - at < SHUTDOWN_MS / 2, 'it waited for a connection without a request');
});

test('a request on a connection that was kept at the signal is not served by a process that has closed its databases', async () => {
  const program = await start(20_000);
  const { connection, release } = await heldPayment(program);
  const { exit } = await signalled(program);
  await release();
  await until(
    async () => connection.ended || program.log().includes('"msg":"stopped"'),
    (over) => over,
  );
  connection.send('POST', '/payments', { key: program.keys.sandbox.secret, body: ORDER });
  await connection.closed();
  assert.equal(await exit, 0);
  assert.deepEqual(connection.text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 201']);
  assert.doesNotMatch(program.log(), /internal error|rows of a log were lost/);
});

test('the event stream of a payment page ends with its connection, and the process exits', async () => {
  const program = await start();
  const { url, keys } = program;
  const { body } = await call(url, keys.sandbox.secret, 'POST', '/payments', ORDER);
  const stream = new Connection(url);
  stream.send('GET', `${new URL(body.authorization_url).pathname}/events`);
  await stream.received('data: ');
  const { exit, at } = await signalled(program);
  await stream.closed();
  assert.match(stream.text, /\r\n0\r\n\r\n$/, 'it ended as a complete response');
  assert.equal(await exit, 0);
  assert.ok(performance.now() - at < SHUTDOWN_MS / 2, 'it waited for a connection without a request');
});

test('a connection on which nothing was sent does not delay the exit', async () => {
  const program = await start();
  const unused = new Connection(program.url);
  await new Promise((resolve) => unused.socket.once('connect', resolve));
  await call(program.url, program.keys.sandbox.secret, 'GET', '/payments');
  const { exit, at } = await signalled(program);
  await unused.closed();
  assert.equal(await exit, 0);
  assert.ok(performance.now() - at < SHUTDOWN_MS / 2, 'it waited for a connection without a request');
});

const CHUNK = Buffer.alloc(64 * 1024, 'x');
const CHUNKS = 1_024;
const LARGE = CHUNKS * CHUNK.length;

function* chunks(): Generator<Buffer> {
  for (let n = 0; n < CHUNKS; n++) yield CHUNK;
}

/** Work that a handler waits for. */
let work = Promise.withResolvers<string>();

/** The large responses exceed what the system buffers, so that they end when their reader has read them. */
const pages: Pages = (app) => {
  app.get('/small', () => 'small');
  app.get('/whole', () => Buffer.alloc(LARGE, 'x'));
  app.get('/streamed', (_, reply) => reply.header('Content-Length', LARGE).send(Readable.from(chunks())));
  app.get('/slow', () => work.promise);
};

async function serve() {
  const service = { leaving: false };
  const server = buildServer({ ...api.deps, service }, [], [pages]);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const leave = () => {
    service.leaving = true;
    return server.close();
  };
  return { url, service, server, leave };
}

for (const path of ['/whole', '/streamed']) {
  test(`a large response that is under way when the server closes arrives complete: ${path}`, async () => {
    const { url, leave } = await serve();
    const reader = new Connection(url);
    reader.send('GET', path);
    await reader.received('xxx');
    reader.socket.pause();
    const closed = leave();
    // Long enough for a server that closes connections at intervals to reach this one.
    await sleep(500);
    reader.socket.resume();
    await reader.closed();
    await closed;
    assert.equal(reader.bytes, reader.text.indexOf('\r\n\r\n') + 4 + LARGE);
  });
}

test('a request that follows on the same connection before the response of the last one is answered, too', async () => {
  const { url, leave } = await serve();
  const pipelining = new Connection(url);
  pipelining.send('GET', '/streamed');
  pipelining.send('GET', '/slow');
  await pipelining.received('xxx');
  const closed = leave();
  work.resolve('slow');
  work = Promise.withResolvers();
  await pipelining.closed();
  await closed;
  assert.match(pipelining.end, /\r\n\r\nslow$/);
});

for (const [title, path, status] of [
  ['a request', '/small', 200],
  ['a request with a malformed path', '/%zz', 401],
] as const) {
  test(`${title} that comes while the process is leaving is answered, and its connection is closed`, async () => {
    const { url, service, server } = await serve();
    const kept = new Connection(url);
    kept.send('GET', '/small');
    await kept.received('\r\n\r\nsmall');
    service.leaving = true;
    kept.text = '';
    kept.send('GET', path);
    await kept.closed();
    assert.match(kept.text, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(kept.text, CLOSES);
    await server.close();
  });
}

test('a request that is being received when the server closes is answered', async () => {
  const { url, leave } = await serve();
  const kept = new Connection(url);
  kept.send('GET', '/small');
  await kept.received('\r\n\r\nsmall');
  kept.socket.write('GET /small HTTP/1.1\r\nHost: shop');
  await sleep(100);
  const closed = leave();
  await sleep(100);
  kept.socket.write('.example\r\n\r\n');
  await kept.closed();
  await closed;
  assert.equal(kept.text.match(/\r\n\r\nsmall/g)?.length, 2);
});

for (const [what, head, bytes] of [
  [
    'the body of a request that was refused before it came',
    'POST /small HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 8',
    '{"a": 1',
  ],
  ['a line break', 'GET /small HTTP/1.1\r\nHost: shop.example', '\r\n'],
] as const) {
  test(`${what} that comes after the last response does not delay the exit`, async () => {
    const { url, leave } = await serve();
    const kept = new Connection(url);
    kept.socket.write(`${head}\r\n\r\n`);
    await kept.received('HTTP/1.1 ');
    kept.socket.write(bytes);
    await sleep(100);
    const at = performance.now();
    await leave();
    await kept.closed();
    assert.ok(performance.now() - at < SHUTDOWN_MS / 2, 'it waited for a connection without a request');
  });
}

test('closing waits for the work of a request whose caller has gone', async () => {
  const { url, server, leave } = await serve();
  const gone = new Connection(url);
  const connected = Promise.withResolvers<net.Socket>();
  server.server.once('connection', connected.resolve);
  gone.send('GET', '/slow');
  const end = once(await connected.promise, 'close');
  await sleep(100);
  gone.socket.destroy();
  await end;
  let is_closed = false;
  const closed = leave().then(() => {
    is_closed = true;
  });
  await sleep(200);
  assert.equal(is_closed, false);
  work.resolve('slow');
  await closed;
});
