import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readConfig } from '../../src/platform/config/config.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { openDatabases } from '../../src/program/start/databases.ts';
import { parsed, pirogue } from '../cli/command.ts';
import { until } from '../setup/api.ts';
import { call, newFolder, type Program, startProgram } from '../ops/program.ts';
import { unpack } from './archive.ts';
import { ARCHIVE, type Facts, FACTS } from './facts.ts';

/**
 * Opens a DATA_DIR that commit 889a742 made (make.ts), with data in every state, with the code of today. Without workers: what
 * was under way then stays as it was.
 */
const skip = process.platform === 'win32' && 'the cluster was made for unix sockets';
const dataDir = newFolder();
let facts: Facts;
let program: Program | undefined;
before(async () => {
  if (skip) return;
  unpack(fs.readFileSync(ARCHIVE), dataDir);
  facts = JSON.parse(fs.readFileSync(path.join(dataDir, FACTS), 'utf8')) as Facts;
  // Addresses in answers are those of then.
  program = await startProgram({ dataDir, role: 'api', env: { PUBLIC_URL: facts.public_url } });
});
after(async () => {
  await program?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

const url = () => (program as Program).url;

/** The fields of `known`, however deep, as `found` has them: versions may add fields, never take or change them. */
function shared(known: unknown, found: unknown): unknown {
  if (Array.isArray(known) && Array.isArray(found)) {
    return found.map((one, i) => (i < known.length ? shared(known[i], one) : one));
  }
  if (typeof known !== 'object' || known === null || typeof found !== 'object' || found === null) return found;
  const values = found as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(known)
      .filter(([name]) => name in values)
      .map(([name, value]) => [name, shared(value, values[name])]),
  );
}

test('every resource is returned as before', { skip }, async () => {
  assert.ok(facts.answers.length > 100);
  for (const { environment, path: route, body } of facts.answers) {
    const answer = await call(url(), facts.keys[environment], 'GET', route);
    assert.equal(answer.status, 200, route);
    assert.deepEqual(shared(body, answer.body), body, route);
  }
});

test('every recorded event is returned byte for byte', { skip }, async () => {
  const events = facts.answers.filter((one) => one.path.startsWith('/events/'));
  assert.ok(events.length > 50);
  for (const { environment, path: route, body } of events) {
    const answer = await call(url(), facts.keys[environment], 'GET', route);
    assert.equal(JSON.stringify(answer.body.event), JSON.stringify(body.event), route);
  }
});

test('the data contains every status of every kind', { skip }, () => {
  const of = (list: string, name: string) =>
    new Set(facts.answers.filter((one) => one.path.startsWith(`/${list}/`)).map(({ body }) => body[name].status));
  const payments = ['pending', 'processing', 'succeeded', 'failed', 'cancelled', 'expired', 'refunded', 'partially_refunded'];
  assert.deepEqual(
    payments.filter((status) => !of('payments', 'transaction').has(status)),
    [],
  );
  assert.deepEqual([...of('transfers', 'transfer')].sort(), ['cancelled', 'failed', 'processing', 'succeeded']);
  assert.deepEqual([...of('refunds', 'refund')].sort(), ['failed', 'succeeded']);
  assert.deepEqual([...of('disputes', 'dispute')].sort(), ['lost', 'needs_response', 'won']);
  assert.deepEqual([...of('invoices', 'invoice')].sort(), ['cancelled', 'draft', 'sent']);
});

test('no row is lost', { skip }, async () => {
  const { urls, stop } = await openDatabases(readConfig({ DATA_DIR: dataDir }));
  try {
    for (const name of ['control', 'sandbox', 'live'] as const) {
      const client = await connectClient(urls[name]);
      const tables = Object.entries(facts.counts[name]).filter(([, rows]) => rows > 0);
      const { rows } = await client.query<{ name: string; n: number }>(
        tables.map(([table]) => `select '${table}' as name, count(*)::int as n from ${table}`).join(' union all '),
      );
      await client.end();
      const lost = rows.filter((row) => row.n < (facts.counts[name][row.name] ?? 0));
      assert.deepEqual(lost, [], name);
      assert.ok(rows.length > 5, name);
    }
  } finally {
    await stop();
  }
});

test('the books and the audit trail verify, and sealed values open', { skip }, async () => {
  const env = { DATA_DIR: dataDir };
  for (const environment of ['sandbox', 'live']) {
    const books = await pirogue(['ledger', 'verify', '--environment', environment, '--json'], env);
    assert.equal(parsed(books).ok, true, books.stdout);
  }
  assert.equal((await pirogue(['audit', 'verify'], env)).code, 0);
  const secrets = parsed(await pirogue(['secrets', 'rotate', '--json'], env));
  assert.deepEqual([secrets.values_left, secrets.unopened_count], [0, 0]);
  assert.ok(secrets.values_sealed >= 4, JSON.stringify(secrets));
});

test('API keys of the old version still create and charge payments, and its idempotency keys stay used', { skip }, async () => {
  const key = facts.keys.sandbox;
  const order = { amount: 500, currency: 'XAF', phone: '+237650000000' };
  const made = await call(url(), key, 'POST', '/payments', order);
  assert.equal(made.status, 201);
  assert.equal((await fetch(url() + new URL(made.body.authorization_url).pathname)).status, 200);
  const charged = await call(url(), key, 'POST', `/payments/${made.body.transaction.id}`, {
    ...{ channel: 'cm.mtn', data: { phone: '650000000' } },
  });
  assert.equal(charged.status, 202);
  const pending = facts.answers.find(({ body }) => body.transaction?.status === 'pending' && body.transaction.sandbox);
  assert.equal((await call(url(), key, 'DELETE', pending?.path ?? '')).status, 200);
  assert.equal((await call(url(), facts.keys.live, 'POST', '/payments', order)).status, 201);
  const other = await call(url(), key, 'POST', '/payments', order, { 'idempotency-key': 'order-7' });
  assert.equal(other.status, 422);
});

test('operations in progress are completed by the workers, and the books still verify', { skip }, async () => {
  await program?.stop();
  program = await startProgram({ dataDir, env: { PUBLIC_URL: facts.public_url } });
  const under = facts.answers.filter(({ body }) => body.transaction?.status === 'processing' && body.transaction.sandbox);
  assert.ok(under.length > 0);
  for (const { path: route } of under) {
    await until(
      () => call(url(), facts.keys.sandbox, 'GET', route),
      ({ body }) => ['succeeded', 'partial'].includes(body.transaction.status),
      60_000,
    );
  }
  assert.equal(parsed(await pirogue(['ledger', 'verify', '--json'], { DATA_DIR: dataDir })).ok, true);
});
