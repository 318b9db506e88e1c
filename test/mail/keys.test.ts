import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sql, sql } from '../../src/kit/sql.ts';
import { migrateFrom } from '../../src/platform/db/migrate.ts';
import { makePartitions } from '../../src/platform/db/partitions.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { dropMails, dropReceipts, waitForInvoice } from '../../src/tenants/outbox/store.ts';
import { openOwner } from '../archive/fixture.ts';
import { newFolder } from '../ops/program.ts';
import { cloneDatabases, type Databases, emptyDatabases } from '../setup/databases.ts';

/** The columns by which mails are found: kept by the database, because processes of the previous release do not know them. */
const TEAM = 7n;
const DAY_MS = 86_400_000;

let databases: Databases;
let owner: DbPool;
before(async () => {
  databases = await cloneDatabases();
  owner = openOwner(databases.live);
});
beforeEach(() => owner.run(sql`delete from mails`));
after(async () => {
  await owner.close();
  await databases.drop();
});

const db = () => owner.seeing(TEAM);

/** Inserts a mail as the previous release does. */
const insert = (kind: string, facts: object, recipient: string | null, tries = 0): Sql => sql`
  insert into mails (team_id, kind, facts, recipient, tries) values (${TEAM}, ${kind}, ${JSON.stringify(facts)}, ${recipient}, ${tries})`;

interface Keys {
  kind: string;
  recipient_folded: string | null;
  payment_id: string | null;
}

const keys = (pool = owner) =>
  pool.all<Keys>(sql`select kind, recipient_folded, payment_id from mails order by kind, recipient_folded, payment_id`);

test('mails that the previous release writes are found by address and by payment', async () => {
  await db().run(insert('receipt', { payment: 'trx_1' }, 'AWA@Buyers.example'));
  await db().run(insert('invoice', { number: 'INV-1' }, 'awa@buyers.example'));
  await db().run(insert('float_low', { payment: 'trx_1' }, null));
  const all: Keys[] = [
    { kind: 'float_low', recipient_folded: null, payment_id: null },
    { kind: 'invoice', recipient_folded: 'awa@buyers.example', payment_id: null },
    { kind: 'receipt', recipient_folded: 'awa@buyers.example', payment_id: 'trx_1' },
  ];
  assert.deepEqual(await keys(), all);
  const limit = { count: 1, period_ms: DAY_MS };
  const wait_ms = await waitForInvoice(db(), { team_id: TEAM, recipient: 'Awa@buyers.example' }, limit);
  assert.ok(wait_ms > 0);
  await db().transaction((tx) => dropReceipts(tx, TEAM, ['trx_1', 'trx_2']));
  assert.deepEqual(await keys(), all.slice(0, 2));
  await db().transaction((tx) => dropMails(tx, TEAM, ['aWA@buyers.example']));
  assert.deepEqual(await keys(), all.slice(0, 1));
});

test('an address is found in every spelling that the database or the program takes for the same', async () => {
  const spellings = ['ÉLISE@buyers.example', 'élise@buyers.example', 'ΑΣ@buyers.example', 'İbo@buyers.example'];
  for (const spelling of spellings) {
    await db().run(insert('invoice', {}, spelling));
    await db().transaction((tx) => dropMails(tx, TEAM, [spelling]));
    assert.deepEqual(await keys(), [], spelling);
  }
  await db().run(insert('invoice', {}, 'élise@buyers.example'));
  await db().transaction((tx) => dropMails(tx, TEAM, ['ÉLISE@buyers.example', 'nobody@buyers.example']));
  assert.deepEqual(await keys(), []);
});

const DROPS: [who: string, drop: () => Promise<unknown>][] = [
  ['this release by address', () => db().transaction((tx) => dropMails(tx, TEAM, ['awa@buyers.example']))],
  ['this release by payment', () => db().transaction((tx) => dropReceipts(tx, TEAM, ['trx_1']))],
  [
    'the previous release',
    () => db().run(sql`update mails set kind = 'dropped', facts = '{}', recipient = null where team_id = ${TEAM}`),
  ],
];

for (const [who, drop] of DROPS) {
  test(`a mail that ${who} drops after an attempt keeps neither the address nor the payment`, async () => {
    await db().run(insert('receipt', { payment: 'trx_1' }, 'Awa@buyers.example', 1));
    await drop();
    assert.deepEqual(await keys(), [{ kind: 'dropped', recipient_folded: null, payment_id: null }]);
  });
}

/** Rows of several partitions, of several batches, with what is never found by a key among them. */
async function fill(pool: DbPool): Promise<void> {
  for (const days of [14, 7, 0]) await makePartitions(pool, 'live', Date.now() - days * DAY_MS);
  await pool.run(sql`
    insert into mails (team_id, kind, facts, recipient, created_at)
    select 1 + n % 3, (array['receipt', 'invoice', 'float_low'])[1 + n % 3],
      case when n % 30 = 0 then '{}' else json_build_object('payment', 'trx_' || n, 'filler', repeat('x', 300)) end,
      case when n % 3 < 2 then 'Payer' || n || '@Buyers.example' end, now() - n * interval '200 seconds'
    from generate_series(1, 6000) n`);
}

test('the migration fills rows that exist, also those that another transaction holds meanwhile', async () => {
  const upgraded = await emptyDatabases();
  const folder = newFolder();
  const from = path.join(import.meta.dirname, '..', '..', 'migrations', 'store');
  const upTo = async (last: string) => {
    for (const file of fs.readdirSync(from)) if (file < last) fs.copyFileSync(path.join(from, file), path.join(folder, file));
    await migrateFrom(folder, upgraded.live, {});
  };
  const pool = openOwner(upgraded.live);
  try {
    await upTo('0135');
    await fill(pool);
    await upTo('0136');
    let filled: Promise<void> | undefined;
    await pool.transaction(async (tx) => {
      const [held] = await tx.all<{ id: string }>(sql`select id from mails order by created_at limit 1 for update`);
      filled = upTo('9');
      // Every row but the one that is held.
      const unfilled = () =>
        pool.all<{ id: string }>(sql`select id from mails where recipient is not null and recipient_folded is null`);
      for (let rows = await unfilled(); rows.length > 1; rows = await unfilled()) await sleep(20);
      assert.deepEqual(await unfilled(), [held]);
    });
    await filled;
    const [wrong] = await pool.all<{ filled: number; wrong: number }>(sql`
      select count(*) filter (where recipient_folded is not null)::integer as filled, count(*) filter (where
        recipient_folded is distinct from lower(recipient)
        or payment_id is distinct from case when kind = 'receipt' then facts->>'payment' end)::integer as wrong from mails`);
    assert.deepEqual(wrong, { filled: 4000, wrong: 0 });
    const indexes = await pool.all<{ valid: boolean }>(sql`
      select i.indisvalid as valid from pg_index i where i.indrelid in (
        select 'mails'::regclass union all select inhrelid from pg_inherits where inhparent = 'mails'::regclass)`);
    assert.ok(indexes.length > 0 && indexes.every(({ valid }) => valid));
  } finally {
    await pool.close();
    await upgraded.drop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
