import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Actor, PROVIDER, WORKER } from '../../src/tenants/audit/actor.ts';
import { STORE_ENTRIES } from '../../src/core/payments/sealed-store.ts';
import { auditSealSweep } from '../../src/tenants/audit/chains.ts';
import { record } from '../../src/tenants/audit/record.ts';
import { findEntries } from '../../src/tenants/audit/store.ts';
import { countUnsealed, sealNext } from '../../src/platform/chain/store.ts';
import { type Fault, verifyChain } from '../../src/platform/chain/verify.ts';
import { pgCode, sql } from '../../src/kit/sql.ts';
import { type Books, openBooks } from '../ledger/books.ts';
import { closed } from './closed.ts';

let books: Books;
before(async () => {
  books = await openBooks();
});
after(() => books.close());
beforeEach(() => books.owner.run(sql`truncate audit_entries, audit_seals, audit_group_seals, payments restart identity`));

const AT = Date.UTC(2026, 10, 21);
const KEY: Actor = { kind: 'key', id: 'key_1', request_id: 'req_1', address: '203.0.113.7' };
const TRX = 'trx_test_1';

const write = (resource_id: string, by = KEY, at = AT) =>
  books.app.transaction((tx) => record(tx, by, { team_id: 7n, action: 'refund.create', resource_id, at }));

async function seal(batch = 100, wait_ms = 0): Promise<number> {
  await closed(books.app);
  return sealNext(books.app, STORE_ENTRIES, batch, wait_ms);
}

async function verify(): Promise<{ seals: number; faults: Fault[] }> {
  const faults: Fault[] = [];
  const { seals } = await verifyChain(books.owner, STORE_ENTRIES, (fault) => faults.push(fault));
  return { seals, faults };
}

/** Three seals of two entries each, one of them about a payment. */
async function fill(): Promise<void> {
  await books.app.run(sql`
    insert into payments (team_id, id, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    values (7, ${TRX}, 500, 'XAF', 'key_maker', 'req_maker', now(), now(), now())`);
  for (const resource of ['rfd_1', 'rfd_2', TRX, 'rfd_3', 'rfd_4', 'rfd_5']) await write(resource);
  assert.deepEqual([await seal(2), await seal(2), await seal(2), await seal(2)], [2, 2, 2, 0]);
}

test('closed entries are sealed once, oldest first; the hash can be recomputed independently', async () => {
  await write('rfd_1');
  await write('rfd_2', WORKER);
  assert.equal(await seal(), 2);
  const rows = await books.owner.all<{ tx: string; id: bigint }>(sql`select tx::text, id from audit_entries order by tx, id`);
  const nulls = 'null, null, null, null, null';
  const text = `["${rows[0]?.tx}", 7, ${rows[0]?.id}, ${AT}, "key", "key_1", "req_1", "203.0.113.7", "refund.create", "rfd_1", ${nulls}]
["${rows[1]?.tx}", 7, ${rows[1]?.id}, ${AT}, "worker", null, null, null, "refund.create", "rfd_2", ${nulls}]
`;
  const [made] = await books.owner.all<{ hash: string; entries: number }>(sql`
    select encode(hash, 'hex') as hash, entries from audit_group_seals`);
  const previous = createHash('sha256').update('').digest();
  assert.deepEqual(made, { hash: createHash('sha256').update(previous).update(text).digest('hex'), entries: 2 });
  assert.equal(await seal(), 0);
  assert.deepEqual(await verify(), { seals: 1, faults: [] });
});

test('fewer entries than a batch are sealed together once the oldest is a minute old', async () => {
  await write('rfd_1', KEY, Date.now());
  assert.equal(await seal(100, 60_000), 0);
  await write('rfd_2', KEY, Date.now() - 120_000);
  assert.equal(await seal(100, 60_000), 2);
});

test('the worker of a store seals its audit trail', async () => {
  await write('rfd_1');
  await closed(books.app);
  assert.equal(
    await auditSealSweep({ environment: 'sandbox', db: books.app }, STORE_ENTRIES).round(),
    0,
    'there is time for the next',
  );
  assert.equal((await verify()).seals, 1);
});

test('an entry that is committed late, after others were sealed, is sealed too', async () => {
  const [written, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = books.app.transaction(async (tx) => {
    await record(tx, KEY, { team_id: 7n, action: 'refund.create', resource_id: 'late', at: AT });
    written.resolve();
    await end.promise;
  });
  await written.promise;
  await write('early');
  assert.equal(await sealNext(books.app, STORE_ENTRIES, 100, 0), 0, 'what began before might still be committed');
  assert.equal(await countUnsealed(books.owner, STORE_ENTRIES), 1);
  end.resolve();
  await late;
  assert.equal(await seal(), 2);
  assert.equal(await countUnsealed(books.owner, STORE_ENTRIES), 0);
  assert.deepEqual((await verify()).faults, []);
});

test('concurrent workers that seal produce one chain', async () => {
  for (let i = 0; i < 30; i++) await write(`rfd_${i}`);
  await closed(books.app);
  const workers = Array.from({ length: 8 }, async () => {
    let sealed = 0;
    for (let i = 0; i < 20; i++) sealed += await sealNext(books.app, STORE_ENTRIES, 2, 0);
    return sealed;
  });
  const sealed = (await Promise.all(workers)).reduce((sum, some) => sum + some, await seal());
  assert.equal(sealed, 30);
  assert.deepEqual((await verify()).faults, []);
});

describe('changes by the owner of the database are detected', () => {
  const cases: [string, string[], Fault['check'][], RegExp][] = [
    ['who', [`update audit_entries set actor_id = 'key_2' where resource_id = 'rfd_1'`], ['seal_broken'], /^seal 7\/1:/],
    ['what', [`update audit_entries set action = 'customer.block' where resource_id = 'rfd_1'`], ['seal_broken'], /^seal 7\/1:/],
    ['to what', [`update audit_entries set resource_id = 'rfd_9' where resource_id = 'rfd_1'`], ['seal_broken'], /^seal 7\/1:/],
    ['from where', [`update audit_entries set address = null where resource_id = 'rfd_1'`], ['seal_broken'], /^seal 7\/1:/],
    [
      'by which request',
      [`update audit_entries set request_id = 'x' where resource_id = 'rfd_1'`],
      ['seal_broken'],
      /^seal 7\/1:/,
    ],
    ['when', [`update audit_entries set created_at = now() where resource_id = 'rfd_5'`], ['seal_broken'], /^seal 7\/3:/],
    ['whose', [`update audit_entries set team_id = 8 where resource_id = 'rfd_5'`], ['seal_broken'], /^seal 7\/3:/],
    ['an entry removed', [`delete from audit_entries where resource_id = 'rfd_3'`], ['seal_broken'], /^seal 7\/2:/],
    [
      'an entry inserted',
      [
        `insert into audit_entries (team_id, tx, created_at, actor, action, resource_id)
         select 7, tx, created_at, 'worker', 'refund.create', 'rfd_9' from audit_entries where resource_id = 'rfd_3'`,
      ],
      ['seal_broken'],
      /^seal 7\/2:/,
    ],
    [
      'two entries in another order',
      [
        `update audit_entries a set tx = b.tx from audit_entries b
         where (a.resource_id, b.resource_id) in (('rfd_4', 'rfd_5'), ('rfd_5', 'rfd_4'))`,
      ],
      ['seal_broken'],
      /^seal 7\/3:/,
    ],
    [
      'an entry moved under another seal',
      [`update audit_entries set tx = (select tx from audit_entries where resource_id = 'rfd_5') where resource_id = 'rfd_1'`],
      ['seal_broken', 'seal_broken'],
      /^seal 7\/1:/,
    ],
    ['a seal', [`update audit_group_seals set hash = sha256('x') where n = 2`], ['seal_broken', 'chain_broken'], /^seal 7\/2:/],
    [
      'a seal removed with its entries',
      [
        `delete from audit_entries where tx >= (select after_tx from audit_group_seals where n = 2) and tx < (select up_to_tx from audit_group_seals where n = 2)`,
        `delete from audit_group_seals where n = 2`,
      ],
      ['chain_broken'],
      /^seal 7\/3$/,
    ],
    [
      'two seals in another order',
      [
        `with away as (delete from audit_group_seals where n = 2 returning *)
         insert into audit_group_seals (team_group, n, after_tx, up_to_tx, entries, previous, hash) select team_group, 4, after_tx, up_to_tx, entries, previous, hash from away`,
      ],
      ['chain_broken', 'chain_broken'],
      /^seal 7\/3$/,
    ],
    ['the key that made a payment', [`update payments set key_id = 'key_2'`], ['seal_broken'], /^seal 7\/2:/],
    ['the request that made a payment', [`update payments set request_id = 'x'`], ['seal_broken'], /^seal 7\/2:/],
    ['the amount of a payment', [`update payments set amount_minor = 1`], ['seal_broken'], /^seal 7\/2:/],
    ['a payment removed', ['delete from payments'], ['seal_broken'], /^seal 7\/2:/],
  ];
  for (const [title, changes, expected, where] of cases) {
    test(title, async () => {
      await fill();
      assert.deepEqual((await verify()).faults, []);
      await books.owner.run({ text: `begin; ${changes.join(';')}; commit`, values: [] });
      const { faults } = await verify();
      assert.deepEqual(
        faults.map(({ check }) => check),
        expected,
      );
      assert.match(faults[0]?.what as string, where);
    });
  }

  test('a change of a payment is not a change of the audit trail', async () => {
    await fill();
    await books.app.run(sql`update payments set status = 'succeeded', captured_minor = 500, name = null, settled = true`);
    assert.deepEqual((await verify()).faults, []);
  });
});

test('the service can neither change nor delete its entries, nor set their time', async () => {
  await fill();
  const refused = [
    `update audit_entries set actor_id = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
    `insert into audit_entries (team_id, tx, created_at, actor, action, resource_id) values (7, '1', now(), 'worker', 'x', 'y')`,
    `update audit_group_seals set hash = ''`,
    'delete from audit_group_seals',
    'truncate audit_group_seals',
  ];
  for (const text of refused) {
    await assert.rejects(books.app.run({ text, values: [] }), (error) => pgCode(error) === '42501', text);
  }
});

test('entries are found by their resource, newest first, each with its seal', async () => {
  await fill();
  await write('rfd_6', PROVIDER);
  const found = await findEntries(books.owner, { team_id: 7n }, 3, STORE_ENTRIES);
  assert.deepEqual(
    found.map(({ resource_id, seal }) => [resource_id, seal]),
    [
      ['rfd_6', null],
      ['rfd_5', '7/3'],
      ['rfd_4', '7/3'],
    ],
  );
  const about = async (wanted: Parameters<typeof findEntries>[1]) => (await findEntries(books.owner, wanted, 10)).length;
  assert.deepEqual(
    [
      await about({ resource_id: TRX }),
      await about({ actor_id: 'key_1' }),
      await about({ request_id: 'req_2' }),
      await about({ action: 'refund.create' }),
      await about({ team_id: 8n }),
      await about({ since: new Date(AT + 1) }),
    ],
    [1, 6, 0, 7, 0, 0],
  );
});
