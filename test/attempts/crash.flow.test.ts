import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { openPool } from '../../src/platform/db/pool.ts';
import { buildDeps } from '../../src/program/deps.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { startWorkers } from '../../src/program/program.ts';
import { freePort, startApi, until } from '../setup/api.ts';
import { cloneDatabases } from '../setup/databases.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const { db } = api.deps.stores.sandbox;

async function pending(): Promise<string> {
  return (await api.call('POST', '/payments', { body: { amount: 1000, currency: 'XAF', phone: '1' } })).body.transaction.id;
}

const retrieve = async (id: string) => (await api.call('GET', `/payments/${id}`)).body.transaction;

/** Workers of a new process: nothing in memory but what a start makes. Stopped with the test. */
function restart(t: TestContext): void {
  const { config, stores, log } = api.deps;
  const workers = startWorkers(buildDeps({ config, stores, log, clock: systemClock, secrets: new Secrets(Buffer.alloc(32, 7)) }));
  t.after(() => Promise.all(workers.map((worker) => worker.stop())));
}

test('delayed outcomes survive a restart: a process that has never seen the charge completes it', async (t) => {
  const charges: [phone: string, status: string][] = [
    ['650000000', 'succeeded'],
    ['650000003', 'failed'],
    ['650000004', 'cancelled'],
  ];
  const ids = await Promise.all(
    charges.map(async ([phone]) => {
      const id = await pending();
      const { status } = await api.call('POST', `/payments/${id}`, {
        body: { channel: 'cm.mtn', data: { phone } },
      });
      assert.equal(status, 202);
      return id;
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const id of ids) assert.equal((await retrieve(id)).status, 'processing', 'without workers nothing happens by itself');
  restart(t);
  for (const [i, id] of ids.entries()) {
    const { status } = await until(
      () => retrieve(id),
      (transaction) => transaction.status !== 'processing',
    );
    assert.equal(status, charges[i]?.[1]);
  }
});

/** What a process leaves that is killed after it stored the intent: nobody knows whether the provider was asked. */
const LEFT_BEHIND: [phone: string, status: string, reason: string | null][] = [
  ['+237650000000', 'succeeded', null],
  ['+237650000001', 'failed', 'insufficient_funds'],
  ['+237650000003', 'failed', 'authorization_timeout'],
  ['+237650000004', 'cancelled', 'payer_declined'],
];

for (const [payer, status, reason] of LEFT_BEHIND) {
  test(`killed between intent and response, …${payer.slice(-6)}: the payment becomes ${status} once, as the provider reports`, async (t) => {
    const id = await pending();
    const [attempt, long_ago] = [`att_test_of_${id}`, new Date(Date.now() - 120_000)];
    await db.run(sql`
      insert into attempts (team_id, id, payment_id, provider, channel, status, amount_minor, currency, payer, country, provider_key, created_at, next_poll_at)
      values (${api.team.id}, ${attempt}, ${id}, 'sandbox', 'cm.mtn', 'created', 100000, 'XAF', ${payer}, 'CM', 'k', ${long_ago}, ${long_ago})`);
    const again = await api.call('POST', `/payments/${id}`, {
      body: { channel: 'cm.mtn', data: { phone: '650000000' } },
    });
    assert.equal(again.status, 400, 'the fate of the first is not known: no second one beside it');
    restart(t);
    restart(t);
    const transaction = await until(
      () => retrieve(id),
      (found) => !['pending', 'processing'].includes(found.status),
    );
    assert.deepEqual([transaction.status, transaction.reason, transaction.attempts.length], [status, reason, 1]);
    const journals = await db.all(sql`select 1 from journals where subject_id = ${id}`);
    assert.equal(journals.length, status === 'succeeded' ? 1 : 0);
    const events = await db.all<{ sequence: number }>(
      sql`select sequence from events where resource_id = ${id} order by sequence`,
    );
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3],
    );
  });
}

interface Process {
  child: ChildProcess;
  url: string;
  key: string;
}

/** The real program on given databases; resolves when it answers. */
async function startProgram(databases: { control: string; sandbox: string; live: string }, dataDir: string): Promise<Process> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['src/main.ts'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      LOG_FORMAT: 'json',
      RATE_LIMITS: 'off',
      SANDBOX_DELAY_MS: '100',
      CONTROL_DATABASE_URL: databases.control,
      SANDBOX_DATABASE_URL: databases.sandbox,
      LIVE_DATABASE_URL: databases.live,
    },
  });
  await until(
    () =>
      fetch(`${url}/health/ready`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  return {
    child,
    url,
    key: JSON.parse(fs.readFileSync(path.join(dataDir, 'keys.json'), 'utf8')).sandbox.secret,
  };
}

async function send({ url, key }: Process, place: string, body: object, headers = {}): Promise<{ status: number; id?: string }> {
  try {
    const response = await fetch(`${url}${place}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: key, 'content-type': 'application/json', ...headers },
    });
    const answer = (await response.json()) as { transaction?: { id: string } };
    return { status: response.status, ...(answer.transaction ? { id: answer.transaction.id } : {}) };
  } catch {
    return { status: 0 };
  }
}

test('SIGKILL under load: acknowledged payments are stored, each ends by the provider’s evidence, and nothing is booked twice', async (t) => {
  const databases = await cloneDatabases();
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-crash-'));
  const owner = openPool({
    url: databases.sandbox,
    size: 2,
    log: createLog({ level: 'silent', format: 'json' }),
  });
  const running: ChildProcess[] = [];
  t.after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await owner.close();
    await databases.drop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
  const first = await startProgram(databases, dataDir);
  running.push(first.child);
  const order = (i: number) => ({ amount: 1000 + i, currency: 'XAF', phone: '1', reference: `crash-${i}` });
  const create = (program: Process, i: number) => send(program, '/payments', order(i), { 'idempotency-key': `create-${i}` });
  const made = await Promise.all(Array.from({ length: 40 }, (_, i) => create(first, i)));
  assert.ok(made.every(({ status }) => status === 201));
  const charge = (program: Process, i: number) =>
    send(
      program,
      `/payments/${made[i]?.id}`,
      { channel: 'cm.mtn', data: { phone: '650000000' } },
      { 'idempotency-key': `charge-${i}` },
    );
  const early = made.slice(0, 30).map((_, i) => charge(first, i));
  const creates = Array.from({ length: 40 }, (_, i) => create(first, 40 + i));
  await Promise.race(early);
  // The last ones leave with the kill: on a slow machine all the others may have been answered by now.
  const charges = [...early, ...made.slice(30).map((_, i) => charge(first, 30 + i))];
  first.child.kill('SIGKILL');
  const [charged, more] = [await Promise.all(charges), await Promise.all(creates)];
  assert.ok(
    charged.some(({ status }) => status === 0),
    'the kill came while charges were under way',
  );

  // Whatever the killed process had sent is over; its leases of up to a minute would hold the test up.
  await until(
    () =>
      owner.all(
        sql`select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      ),
    (rows) => rows.length <= 1,
  );
  await owner.run(sql`update attempts set next_poll_at = now() where status in ('created', 'open', 'unknown')`);
  const second = await startProgram(databases, dataDir);
  running.push(second.child);
  const again = await Promise.all(made.map((_, i) => charge(second, i)));
  for (const { status } of again) assert.equal(status, 202, 'the same key leads to the one charge');
  const moreAgain = await Promise.all(more.map((_, i) => create(second, 40 + i)));
  moreAgain.forEach(({ status, id }, i) => {
    assert.equal(status, 201);
    if (more[i]?.status === 201) assert.equal(id, more[i]?.id, 'what was answered before the kill was kept');
  });
  const open = () =>
    owner.all(sql`select id from payments where id = any(${made.map(({ id }) => id)}) and status <> 'succeeded'`);
  await until(open, (rows) => rows.length === 0);
  const [counts] = await owner.all<Record<string, bigint>>(sql`
    select (select count(*) from payments) as payments, (select count(*) from attempts) as attempts, (select count(*) from journals) as journals,
      (select count(distinct payment_id) from attempts) as charged`);
  assert.deepEqual(counts, { payments: 80n, attempts: 40n, journals: 40n, charged: 40n });
  second.child.kill('SIGTERM');
});
