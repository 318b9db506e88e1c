import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { previousRelease } from '../../scripts/testing/previous.ts';
import { parsed, pirogue } from '../cli/command.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { freePort, until } from '../setup/api.ts';
import { balancer } from '../setup/balancer.ts';
import { type Databases, emptyDatabases } from '../setup/databases.ts';
import { type Receiver, startReceiver } from '../setup/receiver.ts';
import { checkEvents, Load } from './load.ts';

/** Folder of a release; undefined: this version. */
type Release = string | undefined;

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The balancer is in this process and looks ten times a second: a busy machine may halt it for seconds. */
const DRAIN_MS = 12_000;
const dataDir = newFolder();
const running = new Set<Program>();
let previous: Awaited<ReturnType<typeof previousRelease>>;
let databases: Databases;
let receiver: Receiver;

before(async () => {
  [previous, databases, receiver] = await Promise.all([previousRelease(), emptyDatabases(), startReceiver()]);
});
after(async () => {
  await Promise.all([...running].map((program) => program.stop()));
  await receiver.close();
  await databases.drop();
  await previous[Symbol.asyncDispose]();
  fs.rmSync(dataDir, { recursive: true });
});

function urls(): Record<string, string> {
  const { control, sandbox, live } = databases;
  return { CONTROL_DATABASE_URL: control, SANDBOX_DATABASE_URL: sandbox, LIVE_DATABASE_URL: live };
}

async function migrateWith(release: Release): Promise<void> {
  const env = { ...process.env, ...urls(), DATA_DIR: dataDir, LOG_FORMAT: 'json' };
  const main = path.join(release ?? ROOT, 'src', 'main.ts');
  const child = spawn(process.execPath, [main, 'migrate'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
}

async function start(release: Release, role: 'api' | 'worker', port: number): Promise<Program> {
  const waits = { DRAIN_MS: String(DRAIN_MS), SHUTDOWN_MS: '120000' };
  const env = { ...waits, PORT: String(port), PUBLIC_URL: 'http://127.0.0.1:1', MIGRATE_ON_START: 'off' };
  const program = await startProgram({ role, dataDir, databases, env, ...(release && { release }) });
  running.add(program);
  return program;
}

/** Two API processes and a worker, which are replaced one by one. */
class Nodes {
  readonly ports: number[] = [];
  #apis: Program[] = [];
  #worker: Program | undefined;

  async start(release: Release): Promise<Program> {
    this.ports.push(await freePort(), await freePort());
    for (const port of this.ports) this.#apis.push(await start(release, 'api', port));
    this.#worker = await start(release, 'worker', await freePort());
    return this.#apis[0] as Program;
  }

  /** In between, each release's API works beside the other's worker. */
  async replaceBy(release: Release, load: Load): Promise<void> {
    await this.#replaceApi(0, release, load);
    const worker = await start(release, 'worker', await freePort());
    assert.equal(await this.#worker?.stop(), 0);
    this.#worker = worker;
    await load.more(20);
    await this.#replaceApi(1, release, load);
  }

  async #replaceApi(i: number, release: Release, load: Load): Promise<void> {
    assert.equal(await this.#apis[i]?.stop(), 0);
    this.#apis[i] = await start(release, 'api', this.ports[i] as number);
    await sleep(300);
    await load.more(20);
  }
}

test('a rolling upgrade under load and back again: no request fails, each payment is made once, its events are complete', async () => {
  await migrateWith(previous.folder);
  const nodes = new Nodes();
  const { keys } = await nodes.start(previous.folder);
  const { secret } = keys.sandbox;
  const front = balancer(nodes.ports);
  const url = await front.listen();
  const hook = await call(url, secret, 'POST', '/webhooks', { url: `${receiver.url}/hook`, events: ['payment.*'] });
  assert.equal(hook.status, 201);
  const load = new Load(url, secret);
  try {
    await load.more(20);
    await migrateWith(undefined);
    await load.more(20);
    await nodes.replaceBy(undefined, load);
    await nodes.replaceBy(previous.folder, load);
  } finally {
    await load.stop();
  }
  assert.deepEqual(load.failed, []);
  try {
    await checkPayments(url, secret, load);
    await checkEvents(url, secret, load, receiver);
  } finally {
    front.close();
  }
  const verified = await pirogue(['ledger', 'verify', '--environment', 'sandbox', '--json'], { ...urls(), DATA_DIR: dataDir });
  assert.equal(parsed(verified).ok, true, verified.stdout);
  assert.equal((await pirogue(['audit', 'verify'], { ...urls(), DATA_DIR: dataDir })).code, 0);
});

async function checkPayments(url: string, secret: string, load: Load): Promise<void> {
  const total = async (query: string) =>
    (await call(url, secret, 'GET', `/payments?per_page=1${query}`)).body.meta.total as number;
  assert.equal(await total(''), load.paid.length, 'each request made one payment');
  await until(
    () => total('&status=succeeded'),
    (n) => n === load.paid.length,
    60_000,
  );
}
