import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Secrets } from '../../src/kit/crypto.ts';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import { connectorOf } from '../../src/providers/adapters/catalogue.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { startSimulator } from '../../simulators/kit/simulator.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { freePort, startApi, until } from '../setup/api.ts';
import { startReceiver, verify } from '../setup/receiver.ts';

const MINUTE_MS = 60_000;
const SKEWED = path.join(import.meta.dirname, 'skewed.ts');

/** Gives the databases, keys and accounts; it serves nothing. Beside it, two nodes whose machines tell other times. */
const api = await startApi({ workers: false });
const secretsKey = randomBytes(32);
const merchant = await api.newMerchant({ verification_level: 4 });
const mtn = must(
  SIMULATORS.find(({ name }) => name === 'mtn-momo'),
  'it has a simulator',
);
const simulator = await startSimulator(mtn, {});
const receiver = await startReceiver();
const { sandbox, live } = api.deps.stores;
const key = api.keys.sandbox.secret;
const ports = { fast: await freePort(), slow: await freePort() };
let fast: Program;
let slow: Program;

const startNode = (ahead_ms: number, metrics: number) =>
  startProgram({
    dataDir: newFolder(),
    databases: { ...api.databases, drop: async () => {} },
    env: {
      NODE_OPTIONS: `--import=${SKEWED}`,
      CLOCK_AHEAD_MS: String(ahead_ms),
      SECRETS_KEY: secretsKey.toString('base64'),
      SANDBOX_DELAY_MS: '600000',
      METRICS_PORT: String(metrics),
    },
  });

before(async () => {
  fast = await startNode(10 * MINUTE_MS, ports.fast);
  slow = await startNode(-10 * MINUTE_MS, ports.slow);
});
after(async () => {
  await Promise.all([fast?.stop(), slow?.stop(), simulator.stop(), receiver.close()]);
  await api.stop();
});

test('a prompt that another node may still be sending is not given up because one clock is fast', async () => {
  const { team, live: keys } = merchant;
  const connector = must(connectorOf(mtn.name), 'it has a connector');
  const wanted = { team_id: team.id, environment: 'live', connector, name: mtn.name, costs: null } as const;
  const account = await addAccount(
    api.control,
    new Secrets(secretsKey),
    { ...wanted, credentials: simulator.credentials },
    new Date(),
  );
  const body = { amount: 1000, currency: 'XAF', phone: '+237670000000' };
  const { id } = (await call(slow.url, keys.secret, 'POST', '/payments', body)).body.transaction;
  await live.db.run(sql`
    insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer,
      provider_key, created_at, next_poll_at)
    values (${team.id}, ${`att_of_${id}`}, ${id}, 'mtn-momo', ${account?.id}, 'cm.mtn', 'created', 100000, 'XAF', '+237670000000',
      gen_random_uuid()::text, now(), now())`);
  const attempt = () =>
    live.db.maybe<{ status: string; polls: number }>(sql`select status, polls from attempts where id = ${`att_of_${id}`}`);
  const asked = await until(attempt, (row) => (row?.polls ?? 0) > 0 && row?.status !== 'created');
  assert.equal(asked?.status, 'unknown');
  const { status } = (await call(fast.url, keys.secret, 'GET', `/payments/${id}`)).body.transaction;
  assert.equal(status, 'processing');
});

test('no payment expires before its window is over, whichever node made it', async () => {
  const made = async (node: Program) => {
    const body = { amount: 1000, currency: 'XAF', phone: '1', expires: { in: 5 } };
    return (await call(node.url, key, 'POST', '/payments', body)).body.transaction.id as string;
  };
  const [early, late, over] = [await made(slow), await made(fast), await made(fast)];
  const stateOf = async (id: string) =>
    must(
      await sandbox.db.maybe<{ status: string; window_ms: number }>(sql`
        select status, (extract(epoch from expires_at - now()) * 1000)::float8 as window_ms from payments where id = ${id}`),
      'it was just made',
    );
  await sandbox.db.run(sql`update payments set expires_at = now() where id = ${over}`);
  await until(
    () => stateOf(over),
    ({ status }) => status === 'expired',
  );
  for (const id of [early, late]) {
    const { status, window_ms } = await stateOf(id);
    assert.equal(status, 'pending');
    assert.ok(window_ms > 4 * MINUTE_MS && window_ms <= 5 * MINUTE_MS, `${window_ms} ms are left`);
  }
});

test('retained money is released at its moment, and not before', async () => {
  const body = { amount: 1000, currency: 'XAF', phone: '1' };
  const { id } = (await call(slow.url, key, 'POST', '/payments', body)).body.transaction;
  const item = (account: string, in_ms: number) =>
    sandbox.db.run(sql`
      insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at)
      values (${api.team.id}, ${id}, ${account}, 'XAF', 0, 0, now() + ${in_ms}::float8 * interval '1 ms')`);
  await item('acct_test_later', 5 * MINUTE_MS);
  await item('acct_test_now', 0);
  const released = () =>
    sandbox.db.all<{ account_id: string }>(sql`
      select account_id from settlement_items where payment_id = ${id} and released_at is not null`);
  const rows = await until(released, (found) => found.length > 0);
  assert.deepEqual(rows, [{ account_id: 'acct_test_now' }]);
});

test('an answer is replayed for one day by every node, and then its key is spent at every node', async () => {
  const pay = (node: Program, name: string) =>
    call(node.url, key, 'POST', '/payments', { amount: 1000, currency: 'XAF', phone: '1' }, { 'idempotency-key': name });
  const aged = (name: string, minutes: number) =>
    sandbox.db.run(sql`
      update idempotency_keys set created_at = now() - ${minutes}::float8 * interval '1 minute' where key = ${name}`);
  const first = await pay(slow, 'young');
  await pay(fast, 'old');
  await aged('young', 24 * 60 - 2);
  await aged('old', 24 * 60 + 2);
  for (const node of [fast, slow]) {
    const again = await pay(node, 'young');
    assert.deepEqual([again.status, again.body.transaction?.id], [201, first.body.transaction.id]);
    assert.equal((await pay(node, 'old')).body.error_code, 'idempotency_key_reused');
  }
});

test('deliveries bear the time of the database: a receiver accepts those of every node', async () => {
  const { webhook } = (await call(slow.url, key, 'POST', '/webhooks', { url: `${receiver.url}/hook` })).body;
  for (let i = 0; i < 10; i++) {
    await call((i % 2 ? fast : slow).url, key, 'POST', '/payments', { amount: 1000, currency: 'XAF', phone: '1' });
  }
  for (const received of await receiver.waitFor(10)) assert.equal(verify(received, webhook.secret), null);
});

test('each node says by how much its machine differs: in its log once, in its metrics and beside its readiness', async () => {
  for (const [node, ahead_ms, port] of [
    [fast, 10 * MINUTE_MS, ports.fast],
    [slow, -10 * MINUTE_MS, ports.slow],
  ] as const) {
    const { status, body } = await call(node.url, key, 'GET', '/health/ready');
    assert.equal(status, 200);
    assert.ok(Math.abs(body.details.clock.skew_ms - ahead_ms) < 2_000, JSON.stringify(body.details));
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const [, seconds] = /^pirogue_clock_skew_seconds (\S+)$/m.exec(metrics) ?? [];
    assert.ok(Math.abs(Number(seconds) - ahead_ms / 1000) < 2, `${seconds} s`);
    const told = node
      .log()
      .split('\n')
      .filter((line) => line.includes('"skew_ms"'))
      .map((line) => (JSON.parse(line) as { skew_ms: number }).skew_ms);
    assert.ok(told.length > 0, node.log());
    // Once for each difference: the first reading is half its round trip off at most, and a busy machine can take seconds for that.
    for (const [i, skew_ms] of told.slice(1).entries()) assert.ok(Math.abs(skew_ms - (told[i] ?? 0)) > 2_000, node.log());
  }
});
