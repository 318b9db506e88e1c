import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectClient, DbClient } from '../../src/platform/db/client.ts';
import { Cluster } from './databases.ts';
import { installDriver, keepDoor } from './driver.ts';
import { Gate } from './gate.ts';
import { Locks } from './locks.ts';
import { randomFrom } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { type Machine, onMachine, outside } from './virtual.ts';

const START = Date.UTC(2026, 0, 5);
const WAITERS = 12;
const ROUNDS = 8;

let cluster: Cluster;
let url: string;
let locks: Locks;

before(async () => {
  installDriver();
  cluster = await Cluster.start();
  url = (await cluster.open(START)).control;
  locks = await Locks.open(cluster.monitor);
  const client = await connectClient(url);
  await client.query('create table counted (id int primary key, n int not null); insert into counted values (1, 0)');
  await client.end();
});
after(async () => {
  keepDoor(null);
  await locks.close();
  await cluster[Symbol.asyncDispose]();
});

test('those that wait for one row get it in the order in which they came, one at a time', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const order = await contend(round);
    assert.deepEqual(
      order,
      Array.from({ length: WAITERS }, (_, i) => i),
    );
  }
});

test('a node notices the loss of a connection as the driver shows the end of a process of the server', async () => {
  const real = new DbClient(url);
  const seen = { real: eventsOf(real), virtual: [] as string[] };
  await outside(() => real.connect());
  const client = await connectClient(url);
  const ended = new Promise((resolve) => real.once('end', resolve));
  await client.query('select pg_terminate_backend($1)', [(real as unknown as { processID: number }).processID]);
  await ended;
  await client.end();
  const { on, gate, step, start } = simulate('loss');
  const [virtual] = await start(1);
  seen.virtual = eventsOf(virtual as DbClient);
  await step(onMachine(on, () => (virtual as DbClient).query('begin')));
  await step(onMachine(on, () => (virtual as DbClient).query('update counted set n = -1')));
  assert.equal(await gate.cut(on.owner, 'in transaction'), 1);
  const after = onMachine(on, () => (virtual as DbClient).query('select n from counted'));
  await step(after.catch(() => {}));
  await assert.rejects(after, /^Error: Connection terminated/);
  assert.deepEqual(seen.virtual, seen.real);
  assert.deepEqual(seen.real.at(-1), 'end');
  await gate.close();
  const reader = await connectClient(url);
  assert.notEqual((await reader.query('select n from counted')).rows[0].n, -1, 'the transaction was rolled back');
  await reader.end();
});

/** Returns what a connection emits from now on. */
function eventsOf(client: DbClient): string[] {
  const events: string[] = [];
  client.on('error', (error) => events.push(`error ${(error as { code?: string }).code}: ${error.message}`));
  client.on('end', () => events.push('end'));
  return events;
}

/** A transaction holds the row while others come to change it. @returns who got it, in order */
async function contend(round: number): Promise<number[]> {
  const { on, gate, scheduler, step, settle, start } = simulate(String(round));
  const clients = await start(WAITERS + 1);
  const query = (i: number, text: string) => onMachine(on, () => (clients[i] as DbClient).query(text));
  await step(query(WAITERS, 'begin'));
  await step(query(WAITERS, 'update counted set n = 0'));
  const order: number[] = [];
  const waiting: Promise<unknown>[] = [];
  for (let i = 0; i < WAITERS; i++) {
    waiting.push(query(i, 'update counted set n = n + 1 returning n').then(({ rows }) => (order[rows[0].n - 1] = i)));
    assert.ok(await scheduler.run(() => gate.waits > i, null), 'it waits');
  }
  await settle([query(WAITERS, 'commit'), ...waiting]);
  keepDoor(null);
  await Promise.all(clients.map((client) => client.end()));
  await gate.close();
  return order;
}

/** A node whose connections pass the gate of a world of its own. */
function simulate(seed: string) {
  const scheduler = new Scheduler(randomFrom(seed), START, false);
  const gate = new Gate(scheduler, locks);
  keepDoor(gate);
  const on: Machine = {
    owner: { name: 'n1', alive: true, paused_until: 0 },
    system: () => scheduler.now,
    monotonic: () => scheduler.now,
    after: (ms, call) => scheduler.at(scheduler.now + ms, null, call),
  };
  const settle = async (all: Promise<unknown>[]) => {
    let left = all.length;
    for (const one of all) void one.finally(() => left--);
    assert.ok(await scheduler.run(() => left === 0, null), 'all come to an end');
  };
  const step = (work: Promise<unknown>) => settle([work]);
  const start = async (count: number) => {
    const clients = Array.from({ length: count }, () => new DbClient(url));
    for (const client of clients) {
      const connected = Promise.withResolvers<void>();
      onMachine(on, () => client.connect((error?: Error | null) => (error ? connected.reject(error) : connected.resolve())));
      await step(connected.promise);
    }
    return clients;
  };
  return { on, gate, scheduler, step, settle, start };
}
