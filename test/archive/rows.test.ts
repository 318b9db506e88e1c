import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { PACKED_ATTEMPT } from '../../src/core/attempts/archived-store.ts';
import { findArchived, PACKED_PAYMENT } from '../../src/core/payments/archived-store.ts';
import { findWithRows } from '../../src/core/payments/archived.ts';
import { packArchived, unpackArchived } from '../../src/core/payments/archived-text.ts';
import { findStored, lockPayments } from '../../src/core/payments/store.ts';
import { must } from '../../src/kit/errors.ts';
import { newId, uuidOf } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { newTeamId } from '../../src/tenants/teams/service.ts';
import { type Api, startApi } from '../setup/api.ts';
import { archive, countArchived, openOwner, rowsOf } from './fixture.ts';

/** Rows that are archived and restored, whatever they hold: every byte of every column is as before. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 60);
const SEED = process.env.PROPERTY_SEED ? Number(process.env.PROPERTY_SEED) : Math.floor(Math.random() * 2 ** 31);

let api: Api;
let owner: DbPool;
before(async () => {
  api = await startApi({ workers: false });
  owner = openOwner(api.databases.live);
});
after(async () => {
  await owner.close();
  await api.stop();
});

interface Column {
  name: string;
  type: string;
  nullable: boolean;
  fallback: string | null;
}

async function columnsOf(table: string): Promise<Column[]> {
  return owner.all<Column>(sql`
    select column_name as name, replace(udt_name::regtype::text, 'timestamp with time zone', 'timestamptz') as type,
      is_nullable = 'YES' as nullable, column_default as fallback
    from information_schema.columns where table_name = ${table}`);
}

describe('the catalogue', () => {
  test('every column of attempts is packed with its type, and one that is never null with its default where it may be missing', async () => {
    const columns = (await columnsOf('attempts')).filter(({ name }) => !['team_id', 'payment_id'].includes(name));
    assert.deepEqual(Object.keys(PACKED_ATTEMPT).sort(), columns.map(({ name }) => name).sort());
    for (const { name, type, nullable, fallback } of columns) {
      const { type: packed, missing } = PACKED_ATTEMPT[name] ?? assert.fail(name);
      assert.equal(packed, type, name);
      if (missing !== undefined) assert.deepEqual([nullable, fallback], [false, missing], name);
    }
  });

  test('the packed columns of payments have their types and may be null; all others stay in the row', async () => {
    const columns = new Map((await columnsOf('payments')).map((column) => [column.name, column]));
    for (const [name, { type }] of Object.entries(PACKED_PAYMENT)) {
      const column = columns.get(name) ?? assert.fail(name);
      assert.deepEqual([column.type, column.nullable, column.fallback], [type, true, null], name);
    }
  });

  test('no index reads a packed column', async () => {
    const rows = await owner.all<{ definition: string }>(sql`
      select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'payments'::regclass`);
    for (const { definition } of rows)
      for (const name of Object.keys(PACKED_PAYMENT)) assert.doesNotMatch(definition, new RegExp(`\\b${name}\\b`), definition);
  });

  test('an attempt with a column that this program does not know is left', async () => {
    const team_id = newTeamId();
    await insert(team_id, [{ payment: {}, attempts: [{}] }]);
    await owner.run(sql`alter table attempts add column newer text not null default 'later'`);
    try {
      assert.deepEqual((await archive(api, owner, 'live', team_id)).left, { not_exact: 1 });
    } finally {
      await owner.run(sql`alter table attempts drop column newer`);
    }
    assert.equal((await archive(api, owner, 'live', team_id)).archived, 1);
  });

  for (const later of ['payment', 'attempt'] as const) {
    test(`${later === 'payment' ? 'a payment' : 'an attempt'} that a later release archived with one more column is read, and not restored without it`, async () => {
      const team_id = newTeamId();
      const [id] = (await insert(team_id, [{ payment: {}, attempts: [{}] }])) as [string];
      assert.equal((await archive(api, owner, 'live', team_id)).archived, 1);
      const own = { team_id, id };
      const { archived } = must(await findStored(owner, team_id, id), 'it exists');
      const [form, payment, [attempt]] = JSON.parse(unpackArchived(must(archived ?? undefined, 'it is archived')));
      const withOneMore = (values: unknown[], columns: object) => [
        ...values,
        ...Array(Object.keys(columns).length - values.length).fill(null),
        'newer',
      ];
      const values = later === 'payment' ? withOneMore(payment, PACKED_PAYMENT) : payment;
      const attempts = [later === 'attempt' ? withOneMore(attempt, PACKED_ATTEMPT) : attempt];
      const packed = packArchived(JSON.stringify([form, values, attempts]));
      await owner.transaction(async (tx) => {
        await tx.run(sql`alter table payments disable trigger payments_archived`);
        await tx.run(sql`update payments set archived = ${packed} where team_id = ${team_id}`);
        await tx.run(sql`alter table payments enable trigger payments_archived`);
      });
      const rows = await rowsOf(owner, team_id);
      assert.equal((await findWithRows(owner, own))?.attempts.length, 1);
      await assert.rejects(
        owner.transaction((tx) => lockPayments(tx, [own])),
        /archived by a later release/,
      );
      assert.deepEqual(await rowsOf(owner, team_id), rows);
    });
  }
});

describe('the keys of archived attempts', () => {
  test('find a payment by our id and by the key of its provider, which has no entry of its own when it is the hash of our id', async () => {
    const team_id = newTeamId();
    const [id] = await insert(team_id, [{ payment: {}, attempts: [{ provider_key: 'derived' }, { provider_key: 'ORD-7' }] }]);
    const keys = await owner.all<{ id: string; provider_key: string }>(sql`
      select id, provider_key from attempts where team_id = ${team_id}`);
    assert.equal((await archive(api, owner, 'live', team_id)).archived, 1);
    const found = async (key: string) => (await findArchived(owner, team_id, key)).map((one) => one.id);
    for (const key of keys.flatMap((one) => [one.id, one.provider_key])) assert.deepEqual(await found(key), [id], key);
    assert.deepEqual(await found('ORD-8'), []);
    const entries = await owner.all(sql`select 1 from archived_attempts where team_id = ${team_id}`);
    assert.equal(entries.length, 2);
  });
});

// ------------------------------------------------------------------------------------------------- any rows
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('null', '', '"', '\\', '[]', ',null', '\u0001\u0002\u0003'),
);
const storable = text.map((value) => value.replaceAll('\u0000', ''));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });
/** As merchants and providers may have sent it: with spaces, repeated keys and numbers that JavaScript would write otherwise. */
const json = fc.oneof(
  fc.json().map((value) => value.replaceAll('\\u0000', '')),
  fc.constantFrom('{ "a" : 1.50, "a": 2 }', '[1e400, -0, 0.10]', '{"nested": {"null": null}}', '"null"', '{}', 'null'),
);
const moment = fc.integer({ min: 0, max: 2 ** 41 }).map((ms) => new Date(ms));
const ended = fc.constantFrom('succeeded', 'failed', 'cancelled', 'expired', 'unavailable');

const paymentRow = fc.record({
  status: fc.constantFrom('succeeded', 'failed', 'cancelled', 'expired', 'refunded', 'partially_refunded'),
  reference: optional(storable),
  description: optional(storable),
  callback: optional(storable),
  message: optional(storable),
  payment_method: optional(storable),
  details: optional(json),
  split: optional(json),
  claim: optional(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))),
  completed_at: optional(moment),
});

const attemptRow = fc.record({
  status: ended,
  provider: fc.constantFrom('mtn-momo', 'sandbox', 'nobody'),
  provider_account: storable,
  channel: storable,
  amount_minor: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  country: optional(storable),
  provider_key: fc.oneof(storable, fc.uuid(), fc.constant('derived')),
  provider_ref: optional(storable),
  handle: optional(storable),
  resolution: optional(json),
  reason: optional(storable),
  message: optional(storable),
  action: optional(json),
  decision: optional(json),
  // A payment with one is not archived.
  client_ip: fc.constant(null),
  polls: fc.nat(1_000),
  must_return: fc.boolean(),
  mismatches: fc.nat(9),
  prompted_by: optional(fc.constantFrom('public', 'page', 'private')),
  counted_day: optional(storable),
  payer_hash: optional(storable),
  remember: optional(fc.boolean()),
  method_id: optional(storable),
  submitted_at: optional(moment),
  closed_at: optional(moment),
  created_at: moment,
});

interface Row {
  payment: object;
  attempts: object[];
}

async function insert(team_id: bigint, rows: readonly Row[]): Promise<string[]> {
  const at = Date.now() - 86_400_000;
  const ids = rows.map((_, i) => newId('trx', 'live', at + i));
  for (const [i, { payment, attempts }] of rows.entries()) {
    const old = new Date(at);
    await insertRow('payments', {
      ...{ team_id, id: ids[i], amount_minor: 100n, currency: 'XAF', status: 'failed', key_id: 'key', request_id: 'req' },
      ...{ created_at: old, updated_at: old, expires_at: old, ...payment },
    });
    for (const attempt of attempts) {
      const id = newId('att', 'live', at);
      const made = {
        ...{
          team_id,
          id,
          payment_id: ids[i],
          provider: 'sandbox',
          provider_account: 'pa_1',
          channel: 'cm.mtn',
          status: 'failed',
        },
        ...{ amount_minor: 100n, currency: 'XAF', provider_key: uuidOf(id), created_at: old, ...attempt },
      };
      await insertRow('attempts', made.provider_key === 'derived' ? { ...made, provider_key: uuidOf(id) } : made);
    }
  }
  return ids;
}

async function insertRow(table: string, row: object): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, i) => `$${i + 1}`);
  await owner.run({
    text: `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    values: Object.values(row),
  });
}

test('JSON that PostgreSQL stores and does not read is left, and the payments beside it are archived', async () => {
  const team_id = newTeamId();
  const unread = ['{"a":"\\u0000"}', '{"a":"\\ud83d"}', '{"a":"\\uDE00"}'];
  await insert(team_id, [
    ...unread.map((details) => ({ payment: { details }, attempts: [{}] })),
    { payment: {}, attempts: [{}] },
  ]);
  const { archived, left } = await archive(api, owner, 'live', team_id);
  assert.deepEqual([archived, left], [1, { not_exact: unread.length }]);
});

test('rows with any values are restored exactly, those that cannot be are left, and no key of an attempt remains', async () => {
  let archived = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ payment: paymentRow, attempts: fc.array(attemptRow, { maxLength: 3 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (rows) => {
        const team_id = newTeamId();
        const ids = await insert(team_id, rows);
        const was = await rowsOf(owner, team_id);
        const tally = await archive(api, owner, 'live', team_id);
        archived += tally.archived;
        // A value of JSON that is `null` reads like none: the only rows that cannot be restored.
        const nulls = rows.filter(({ payment, attempts }) =>
          [payment, ...attempts].some((row) => Object.values(row).includes('null')),
        );
        assert.ok((tally.left.not_exact ?? 0) <= nulls.length, JSON.stringify(tally));
        assert.equal(tally.archived + (tally.left.not_exact ?? 0), rows.length);
        assert.equal(await countArchived(owner, team_id), tally.archived);
        await owner.transaction((tx) =>
          lockPayments(
            tx,
            ids.map((id) => ({ team_id, id })),
          ),
        );
        assert.deepEqual(await rowsOf(owner, team_id), was);
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  assert.ok(archived > RUNS, `${archived} payments were archived, seed ${SEED}`);
});
