import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type net from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { must } from '../../src/kit/errors.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { connectorOf } from '../../src/providers/adapters/catalogue.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import { explanationOf } from '../../src/providers/routing/explain.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { startSimulator } from '../../simulators/kit/simulator.ts';
import { parsed, pirogue } from '../cli/command.ts';
import { VirtualAddress } from '../db/servers.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { freePort, type Merchant, startApi, until } from '../setup/api.ts';

/** Two API processes on the same databases, without Redis: what happens on one applies on the other. */
const secretsKey = randomBytes(32);
const dataDir = newFolder();
const api = await startApi({ workers: false });
const simulator = await startSimulator(
  must(
    SIMULATORS.find(({ name }) => name === 'mtn-momo'),
    'it has a simulator',
  ),
  {},
);
const ports = { a: await freePort(), b: await freePort() };
const env = { SECRETS_KEY: secretsKey.toString('base64') };
let [a, b]: [Program, Program] = [] as never;
let merchant: Merchant;
let live: VirtualAddress;
const databases = { ...api.databases, drop: async () => {} };
before(async () => {
  live = new VirtualAddress(addressOf(api.databases.live));
  await live.listen();
  a = await startProgram({ role: 'api', dataDir, databases, env: { ...env, METRICS_PORT: String(ports.a) } });
  b = await startProgram({
    role: 'api',
    dataDir,
    databases: { ...databases, live: live.url(api.databases.live) },
    env: { ...env, METRICS_PORT: String(ports.b) },
  });
  merchant = await api.newMerchant({ verification_level: 4 });
});
after(async () => {
  await Promise.all([a?.stop(), b?.stop(), simulator.stop()]);
  live?.close();
  await api.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

function addressOf(url: string): net.NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) };
}

const command = async (...args: string[]) =>
  parsed(
    await pirogue([...args, '--json'], {
      ...env,
      DATA_DIR: dataDir,
      CONTROL_DATABASE_URL: api.databases.control,
      SANDBOX_DATABASE_URL: api.databases.sandbox,
      LIVE_DATABASE_URL: api.databases.live,
    }),
  );
const order = { amount: 500, currency: 'XAF', phone: '+237670000000' };
const create = async (node: Program, key: string) =>
  (await call(node.url, key, 'POST', '/payments', order)).body.transaction.id as string;

test('a key that is revoked is rejected by every process when the command returns', async () => {
  const { id, key } = await api.newKey(api.team, 'sandbox', 'secret');
  for (const node of [a, b]) assert.equal((await call(node.url, key, 'GET', '/currencies')).status, 200);
  await command('keys', 'revoke', id);
  for (const node of [a, b]) assert.equal((await call(node.url, key, 'GET', '/currencies')).status, 401);
});

test('a page that is open at one process sees what another one writes', async () => {
  const made = (await call(a.url, api.keys.sandbox.secret, 'POST', '/payments', order)).body;
  const token = path.basename(new URL(made.authorization_url ?? made.transaction.authorization_url).pathname);
  const stream = await fetch(`${a.url}/pay/${token}/events`, { headers: { accept: 'text/event-stream' } });
  assert.equal(stream.status, 200);
  const reader = must(stream.body, 'it streams').pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  const readUntil = async (pattern: RegExp) => {
    while (!pattern.test(seen)) {
      const { value, done } = await reader.read();
      if (done) break;
      seen += value;
    }
    assert.match(seen, pattern);
  };
  await readUntil(/data: .*\n\n/);
  const id = made.transaction.id;
  assert.equal((await call(b.url, api.keys.sandbox.secret, 'DELETE', `/payments/${id}`)).status, 200);
  await readUntil(/cancel/);
  await reader.cancel();
});

async function troubleOf(port: number): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('pirogue_provider_trouble{'));
}

test('a circuit that failures at one process open is open at the other, and a rule added once holds at both', async () => {
  const connector = must(connectorOf('mtn-momo'), 'it has a connector');
  const secrets = new Secrets(secretsKey);
  const wanted = { team_id: merchant.team.id, environment: 'live', connector, costs: null } as const;
  const nowhere = { ...simulator.credentials, base_url: 'http://127.0.0.1:1' };
  const dead = await addAccount(api.control, secrets, { ...wanted, name: 'dead', credentials: nowhere }, new Date());
  const credentials = simulator.credentials;
  await addAccount(api.control, secrets, { ...wanted, name: 'alive', credentials }, new Date());
  const rules = ['--team', String(merchant.team.id), '--environment', 'live'];
  // Before the circuit opens: it lets a probe through after fifteen seconds, and a command may take as long.
  await command('rules', 'add', ...rules, '--order', 'dead,alive');
  const key = merchant.live.secret;
  // Each charge is of another payer: one may be charged a few times an hour only.
  let payers = 0;
  const charge = async (node: Program) => {
    const phone = `+23767${String(++payers).padStart(3, '0')}0000`;
    return call(node.url, key, 'POST', `/payments/${await create(node, key)}`, { channel: 'cm.mtn', data: { phone } });
  };
  // Each of the five charges fails at the first account.
  await until(
    async () => {
      await charge(a);
      return troubleOf(ports.a);
    },
    (lines) => lines.some((line) => line.includes('"down"')),
  );
  await until(
    () => troubleOf(ports.b),
    (lines) => lines.some((line) => line.includes(`account="${dead?.id}"`) && line.includes('standing="down"')),
  );
  const chosenBy = async (node: Program): Promise<string[]> => {
    const { body } = await charge(node);
    const attempt = await api.deps.stores.live.of(merchant.team.id).db.maybe<{ decision: unknown }>({
      text: 'select decision from attempts where payment_id = $1 order by created_at, id limit 1',
      values: [body.transaction?.id],
    });
    const { rule, accounts } = must(explanationOf(attempt?.decision), JSON.stringify(body));
    assert.ok(rule, 'the rule was used');
    return accounts.filter(({ verdict }) => verdict === 'chosen').map(({ name }) => name);
  };
  for (const node of [a, b]) {
    // On a slow machine one of two may be the probe, and only one; without a circuit five go to the dead account.
    const chosen = [...(await chosenBy(node)), ...(await chosenBy(node))];
    assert.ok(chosen.length === 2 && chosen.includes('alive'), `chosen: ${chosen}`);
  }
});

test('a process whose way to a database is cut takes itself out, and one that shares the fault with all stays in', async () => {
  const ready = async (node: Program) => {
    const answer = await fetch(`${node.url}/health/ready`);
    return { code: answer.status, ...((await answer.json()) as { message: string; checks: Record<string, string> }) };
  };
  live.target = null;
  live.cut();
  const out = await until(
    () => ready(b),
    // A pause of this machine makes a database that answers look slow for a moment.
    ({ code, checks }) => code === 503 && checks.control === 'ok',
  );
  assert.deepEqual([out.message, out.checks.live, out.checks.control], ['not ready', 'cut off', 'ok']);
  await until(
    () => ready(a),
    ({ message }) => message === 'ready',
  );
  live.target = addressOf(api.databases.live);
  await until(
    () => ready(b),
    ({ code }) => code === 200,
  );
});
