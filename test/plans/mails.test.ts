import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { makePartitions } from '../../src/platform/db/partitions.ts';
import { waitForInvoice } from '../../src/tenants/outbox/store.ts';
import { openOwner } from '../archive/fixture.ts';
import { type Api, startApi } from '../setup/api.ts';
import { takenBack } from '../setup/taken-back.ts';
import { visitsOf } from './visits.ts';

/** Rows that a statement may read, however many mails the team has. */
const BOUND = 50;
const ROWS = 20_000;
/** Receipts to one address, beside its invoices. */
const RECEIPTS = 300;
const WEEKS = 4;
const WEEK_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;

let sent: Sql[] = [];
let api: Api;
let key: string;
let team_id: bigint;
before(async () => {
  const watch = (statement: Sql) => {
    if (/\b(from|update) mails\b/.test(statement.text)) sent.push(statement);
    return null;
  };
  api = await startApi({ workers: false, watch: (database) => (database === 'live' ? watch : undefined) });
  const merchant = await api.newMerchant({ verification_level: 4 });
  [key, team_id] = [merchant.live.secret, merchant.team.id];
  const owner = openOwner(api.databases.live);
  for (let week = WEEKS; week >= 0; week--) await makePartitions(owner, 'live', Date.now() - week * WEEK_MS);
  await owner.run(sql`
    insert into mails (team_id, kind, facts, recipient, tries, due_at, created_at)
    select ${team_id}, case when n % 2 = 0 then 'receipt' else 'invoice' end, json_build_object('payment', 'trx_' || n),
      'Payer' || n || '@shop.example', 1, null, now() - n * interval '100 seconds' from generate_series(1, ${ROWS}::integer) n`);
  await owner.run(sql`
    insert into mails (team_id, kind, facts, recipient, tries, due_at)
    select ${team_id}, 'receipt', '{}', 'often@shop.example', 1, null from generate_series(1, ${RECEIPTS}::integer)`);
  await owner.run({ text: 'vacuum analyze mails', values: [] });
  await owner.close();
});
after(() => api.stop());

const mails = () => api.deps.stores.live.of(team_id).db;

/** Returns what the statements read above their bound. */
async function excesses(statements: readonly Sql[]): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements) {
    for (const { rows, plan } of await takenBack(mails(), (tx) => visitsOf(tx, statement))) {
      if (rows > BOUND) found.push(`${rows} rows: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 160)}: ${plan}`);
    }
  }
  return found;
}

test('an erasure finds the mails to an address and the receipts of its payments by an index', async () => {
  const { body } = await api.call('POST', '/customers', { key, body: { name: 'Awa', email: 'Payer7@shop.example' } });
  const { id } = body.customer;
  const made = await api.call('POST', '/payments', { key, body: { amount: 500, currency: 'XAF', customer_id: id } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await mails().run(sql`
    insert into mails (team_id, kind, facts, recipient)
    values (${team_id}, 'receipt', json_build_object('payment', ${made.body.transaction.id}::text), 'office@shop.example')`);
  const left = () => mails().maybe<{ n: number }>(sql`select count(*)::integer as n from mails where kind <> 'dropped'`);
  const before = await left();
  sent = [];
  assert.equal((await api.call('DELETE', `/customers/${id}`, { key })).status, 200);
  const dropped = sent.splice(0);
  assert.equal((await left())?.n, (before?.n ?? 0) - 2);
  assert.ok(dropped.length >= 4, `${dropped.length} statements`);
  assert.deepEqual(await excesses(dropped), []);
});

test('the limit of invoices to an address reads its newest invoices, and no receipts', async () => {
  for (const recipient of ['payer7@SHOP.example', 'often@shop.example', 'nobody@shop.example']) {
    sent = [];
    await waitForInvoice(mails(), { team_id, recipient }, { count: 3, period_ms: DAY_MS });
    const read = sent.splice(0);
    assert.equal(read.length, 1);
    assert.deepEqual(await excesses(read), []);
  }
});
