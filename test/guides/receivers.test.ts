import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { verifyWebhook, WebhookVerificationError } from '../../sdk/src/index.ts';
import { must } from '../../src/kit/errors.ts';
import { freePort, startApi, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { startReceiver } from '../setup/receiver.ts';
import { ROOT } from './blocks.ts';
import { missing, type Tool } from './tools.ts';

/** Receivers of examples/verify-webhook are started and get deliveries by HTTP: a real one, and what can be wrong with it. */
const EXAMPLES = path.join(ROOT, 'examples/verify-webhook');
const START_LIMIT_MS = 60_000;
const BUILD_LIMIT_MS = 240_000;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-receivers-'));
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) if (child.exitCode === null && child.kill()) await once(child, 'exit');
  fs.rmSync(folder, { recursive: true });
});

interface Delivery {
  body: Buffer;
  signature?: string;
  timestamp?: string;
}

const GO: Tool = { name: 'go', args: ['version'] };
/** Built first, since `go run` starts a child that outlives it; and before the delivery, which gets old meanwhile. */
const goProgram = missing(GO) ? '' : buildGo();
const { real, secret } = await realDelivery();

/** One that the service made, of a payment with letters that are more than a byte. */
async function realDelivery() {
  const api = await startApi();
  const receiver = await startReceiver();
  try {
    const body = { url: `${receiver.url}/hook`, events: ['payment.succeeded'] };
    const endpoint = (await api.call('POST', '/webhooks', { body })).body.webhook as { secret: string };
    await paid(api, { fields: { description: 'Beignets à l’école 🥭' } });
    const [delivery] = await receiver.waitFor(1);
    assert.ok(delivery);
    return { real: delivery, secret: endpoint.secret };
  } finally {
    await receiver.close();
    await api.stop();
  }
}

function signed(body: Buffer, timestamp: number | string, key = secret): Delivery {
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  return { body, timestamp: String(timestamp), signature: `v1=${digest}` };
}

/** By what is the matter with it: a delivery, and how it has to be answered. */
function deliveries(): Record<string, [Delivery, 200 | 400]> {
  const now = Math.floor(Date.now() / 1000);
  const right = { body: real.body, timestamp: real.headers['x-service-timestamp'] ?? '' };
  const signature = real.headers['x-service-signature'] ?? '';
  const other = Buffer.from(real.body.toString().replace('25000', '25001'));
  const reserialised = Buffer.from(JSON.stringify(JSON.parse(real.body.toString()), null, 1));
  return {
    'as it was sent': [{ ...right, signature }, 200],
    'sent again': [{ ...right, signature }, 200],
    'four minutes old': [signed(real.body, now - 240), 200],
    'a clock four minutes ahead': [signed(real.body, now + 240), 200],
    'too old': [signed(real.body, now - 310), 400],
    'too new': [signed(real.body, now + 320), 400],
    'signed with another secret': [signed(real.body, now, 'whsec_another'), 400],
    'signed with an empty secret': [signed(real.body, now, ''), 400],
    'another amount': [{ ...right, body: other, signature }, 400],
    'a body that was parsed and written again': [{ ...right, body: reserialised, signature }, 400],
    'an empty body': [{ ...right, body: Buffer.alloc(0), signature }, 400],
    'another timestamp': [
      { body: real.body, timestamp: String(now - 1), signature: signed(real.body, now - 2).signature ?? '' },
      400,
    ],
    'a timestamp that is no number': [signed(real.body, 'today'), 400],
    'an empty timestamp': [signed(real.body, ''), 400],
    'no signature': [right, 400],
    'no timestamp': [{ body: real.body, signature }, 400],
    'no headers at all': [{ body: real.body }, 400],
    'a signature without its prefix': [{ ...right, signature: signature.slice(3) }, 400],
    'a signature of v2': [{ ...right, signature: signature.replace('v1=', 'v2=') }, 400],
    'only the prefix': [{ ...right, signature: 'v1=' }, 400],
    'a shorter signature': [{ ...right, signature: signature.slice(0, -1) }, 400],
    'a longer signature': [{ ...right, signature: `${signature}0` }, 400],
    'a signature in capitals': [{ ...right, signature: `v1=${signature.slice(3).toUpperCase()}` }, 400],
    'a signature with letters that are not ASCII': [{ ...right, signature: `v1=${'é'.repeat(64)}` }, 400],
  };
}

/** With the toolchain that is there, and no other. */
function buildGo(): string {
  const program = path.join(folder, 'receiver');
  const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '' };
  const args = ['build', '-o', program, path.join(EXAMPLES, 'go/receiver.go')];
  execFileSync('go', args, { env, cwd: folder, timeout: BUILD_LIMIT_MS });
  return program;
}

interface Language extends Tool {
  /** The command that serves on the port. */
  command(port: string): string[];
}

const LANGUAGES: Record<string, Language> = {
  typescript: {
    name: process.execPath,
    args: ['--version'],
    command: () => [process.execPath, path.join(EXAMPLES, 'typescript/receiver.ts')],
  },
  python: { name: 'python3', args: ['--version'], command: () => ['python3', path.join(EXAMPLES, 'python/receiver.py')] },
  php: {
    name: 'php',
    args: ['--version'],
    command: (port) => ['php', '-S', `127.0.0.1:${port}`, path.join(EXAMPLES, 'php/receiver.php')],
  },
  go: { ...GO, command: () => [goProgram] },
};

function serve(language: Language, port: string, key: string): ChildProcess {
  const [program = '', ...args] = language.command(port);
  const env: NodeJS.ProcessEnv = { ...process.env, PORT: port, PIROGUE_WEBHOOK_SECRET: key };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

function listens(port: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function send(port: string, delivery: Delivery): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    ...(delivery.signature === undefined ? {} : { 'x-service-signature': delivery.signature }),
    ...(delivery.timestamp === undefined ? {} : { 'x-service-timestamp': delivery.timestamp }),
  };
  const body = new Uint8Array(delivery.body);
  return (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body })).status;
}

for (const [name, language] of Object.entries(LANGUAGES)) {
  test(`examples/verify-webhook/${name} accepts signed deliveries only`, { skip: missing(language) }, async () => {
    const port = String(await freePort());
    const child = serve(language, port, secret);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (printed += part));
    await until(
      () => listens(port),
      (ready) => ready,
      START_LIMIT_MS,
    ).catch(() => assert.fail(printed));
    const answers: [string, number][] = [];
    // Made anew for each: one that is dated ahead of the clock comes of age while the others are sent.
    for (const title of Object.keys(deliveries())) answers.push([title, await send(port, must(deliveries()[title], title)[0])]);
    const wanted = Object.entries(deliveries()).map(([title, [, status]]) => [title, status]);
    assert.deepEqual(answers, wanted);
    const news = `${real.event.id} payment.succeeded`;
    const heard = () => Promise.resolve(printed.split(news).length - 1);
    await until(heard, (times) => times === wanted.filter(([, status]) => status === 200).length);
  });

  test(`examples/verify-webhook/${name} accepts nothing without a secret`, { skip: missing(language) }, async () => {
    const port = String(await freePort());
    const child = serve(language, port, '');
    const served = until(
      () => listens(port),
      (ready) => ready || child.exitCode !== null,
      START_LIMIT_MS,
    );
    // PHP is asked page by page: it serves, and answers that it cannot.
    if (await served) assert.equal(await send(port, signed(real.body, Math.floor(Date.now() / 1000), '')), 500);
    else assert.notEqual(child.exitCode, 0);
  });
}

test('the SDK accepts and rejects the same deliveries as the examples', async () => {
  for (const [title, [delivery, status]] of Object.entries(deliveries())) {
    const headers = { 'x-service-signature': delivery.signature, 'x-service-timestamp': delivery.timestamp };
    const verified = verifyWebhook(delivery.body, headers, secret);
    if (status === 200) assert.equal((await verified).id, real.event.id, title);
    else await assert.rejects(verified, WebhookVerificationError, title);
  }
});
