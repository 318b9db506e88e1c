import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectClient, DbClient } from '../../src/platform/db/client.ts';
import { Cluster } from './databases.ts';
import { installDriver, keepDoor } from './driver.ts';
import { Gate } from './gate.ts';
import { Locks } from './locks.ts';
import { randomFrom } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { type Machine, onMachine } from './virtual.ts';

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

/** A transaction holds the row while others come to change it. @returns who got it, in order */
async function contend(round: number): Promise<number[]> {
  const scheduler = new Scheduler(randomFrom(String(round)), START, false);
  const gate = new Gate(scheduler, locks);
  keepDoor(gate);
  const on: Machine = {
    owner: { name: 'n1', alive: true, paused_until: 0 },
    system: () => scheduler.now,
    monotonic: () => scheduler.now,
    after: (ms, call) => scheduler.at(scheduler.now + ms, null, call),
  };
  const clients = Array.from({ length: WAITERS + 1 }, () => new DbClient(url));
  const settle = async (all: Promise<unknown>[]) => {
    let left = all.length;
    for (const one of all) void one.finally(() => left--);
    assert.ok(await scheduler.run(() => left === 0, null), 'all come to an end');
  };
  const step = (work: Promise<unknown>) => settle([work]);
  const query = (i: number, text: string) => onMachine(on, () => (clients[i] as DbClient).query(text));
  for (const client of clients)
    await step(
      new Promise<void>((resolve, reject) =>
        onMachine(on, () => client.connect((error?: Error) => (error ? reject(error) : resolve()))),
      ),
    );
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
  return order;
}
