import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { belongingTo, countPayments, filterConditions, listPayments } from '../../src/core/payments/list-store.ts';
import type { Position } from '../../src/kit/paging.ts';
import { type Db, type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { type Books, openBooks } from '../ledger/books.ts';

/** Lists are planned once. The plan must be right for a large team although it was made for an empty table. */
const LARGE = { team_id: 1n, rows: 20_000 };
const SMALL = { team_id: 2n, rows: 30 };
const idOf = (n: number) => `trx_test_${String(n).padStart(26, '0')}`;
const MIDDLE = idOf(LARGE.rows / 2);

let books: Books;
let large: Db;
before(async () => {
  books = await openBooks();
  large = books.pool.seeing(LARGE.team_id);
});
after(() => books.close());

const POSITIONS: Position[] = [
  { kind: 'offset', page: 1, per_page: 25 },
  { kind: 'offset', page: 3, per_page: 25 },
  { kind: 'older', than: null, per_page: 25 },
  { kind: 'older', than: MIDDLE, per_page: 25 },
  { kind: 'newer', than: MIDDLE, inclusive: false, per_page: 25 },
];

const lists = POSITIONS.map((position) => ({
  name: `${position.kind} ${'page' in position ? position.page : position.than ? 'than the middle' : ''}`,
  read: (db: Queryable, team_id: bigint) => listPayments(db, team_id, [], position),
}));
const tail = (db: Queryable, team_id: bigint) => countPayments(db, team_id, [], { from: idOf(LARGE.rows - 50), to: null });

const fill = ({ team_id, rows }: typeof LARGE) =>
  books.owner.run(sql`
    insert into payments (team_id, id, amount_minor, currency, key_id, request_id, created_at, updated_at, expires_at)
    select ${team_id}, 'trx_test_' || lpad(i::text, 26, '0'), 100, 'XAF', 'key', 'req', now(), now(), now()
    from generate_series(1, ${rows}) i`);

/** The statement that the work sends. */
async function statementOf(work: (db: Queryable) => Promise<unknown>): Promise<Sql> {
  let sent: Sql | undefined;
  const all = async (statement: Sql) => {
    sent = statement;
    return [];
  };
  await work({ ...large, all: all as Queryable['all'] });
  return sent as Sql;
}

/** Blocks that the kept plan of a statement reads. Rows would not show those that a scan of an index passes over. */
async function blocksRead({ name, values }: Sql): Promise<number> {
  const [answer] = await large.transaction(async (tx) => {
    await tx.run({ text: 'set local plan_cache_mode = force_generic_plan', values: [] });
    const given = values.map((value) => pg.escapeLiteral(String(value))).join(', ');
    const kept = `${pg.escapeIdentifier(name as string)}(${given})`;
    return tx.all<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
      text: `explain (analyze, buffers, format json) execute ${kept}`,
      values: [],
    });
  });
  const plan = (answer as { 'QUERY PLAN': [{ Plan: Record<string, number> }] })['QUERY PLAN'][0].Plan;
  return (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN);
}

test('a page of payments and the count of the newest are prepared and planned once', async () => {
  for (const work of [...lists.map(({ read }) => read), tail]) {
    const { name, one_plan } = await statementOf((db) => work(db, LARGE.team_id));
    assert.ok(name);
    assert.equal(one_plan, true);
  }
  await listPayments(large, LARGE.team_id, [], POSITIONS[0] as Position);
  const { name } = await statementOf((db) => listPayments(db, LARGE.team_id, [], POSITIONS[0] as Position));
  const plans = 'select generic_plans, custom_plans from pg_prepared_statements where name = $1';
  assert.deepEqual(await large.all({ text: plans, values: [name] }), [{ generic_plans: 1n, custom_plans: 0n }]);
});

test('a filter by a range or a text is planned for its values', async () => {
  for (const filter of [{ amount_min: 5 }, { date_from: '2026-01-01' }, { search: 'a' }]) {
    const filters = filterConditions('sandbox', filter, 'secret_key');
    const { name } = await statementOf((db) => listPayments(db, LARGE.team_id, filters, POSITIONS[0] as Position));
    assert.equal(name, undefined, JSON.stringify(filter));
  }
});

test('the plan made for an empty table reads no more than the page once the table is large', async () => {
  for (const { read } of lists) await read(large, LARGE.team_id);
  await tail(large, LARGE.team_id);
  const explained = async () => {
    for (const { name, read } of lists) {
      const blocks = await blocksRead(await statementOf((db) => read(db, LARGE.team_id)));
      assert.ok(blocks <= 40, `${name}: ${blocks} blocks`);
    }
    const blocks = await blocksRead(await statementOf((db) => tail(db, LARGE.team_id)));
    assert.ok(blocks <= 40, `tail: ${blocks} blocks`);
  };
  await fill(LARGE);
  await fill(SMALL);
  await explained();
  await books.owner.run(sql`analyze payments`);
  for (const { read } of lists) await read(large, LARGE.team_id);
  await tail(large, LARGE.team_id);
  await explained();
  assert.equal(await tail(large, LARGE.team_id), 51);
  assert.equal((await listPayments(large, LARGE.team_id, [], POSITIONS[1] as Position))[0]?.id, idOf(LARGE.rows - 50));
});

test('a page of a link or of a status reads its payments only, however many others the team has', async () => {
  const link_id = 'lnk_00000000000000000000000001';
  await books.owner.run(sql`
    update payments set key_id = ${link_id}, status = 'failed' where team_id = ${LARGE.team_id} and right(id, 3) = '000'`);
  await books.owner.run(sql`analyze payments`);
  for (const filters of [[belongingTo({ link_id })], filterConditions('sandbox', { status: 'failed' }, 'secret_key')]) {
    for (const position of POSITIONS) {
      const read = (db: Queryable) => listPayments(db, LARGE.team_id, filters, position);
      const rows = await read(large);
      assert.ok(rows.length <= 20, `${rows.length} rows`);
      const statement = await statementOf(read);
      const blocks = await blocksRead(statement);
      assert.ok(blocks <= 100, `${statement.text}: ${blocks} blocks`);
    }
    assert.equal((await listPayments(large, LARGE.team_id, filters, POSITIONS[0] as Position)).length, 20);
  }
});

test('a statement planned once does not sort, and is not compiled: both would be for rows that it does not read', async () => {
  const text = `select current_setting('plan_cache_mode') as plans, current_setting('enable_sort') as sorts, current_setting('jit') as compiles`;
  const settings = (one_plan: boolean) => large.all({ text, values: [], name: 'settings', one_plan });
  const [usual] = await settings(false);
  assert.deepEqual(await settings(true), [{ plans: 'force_generic_plan', sorts: 'off', compiles: 'off' }]);
  assert.deepEqual(await settings(false), [usual], 'for that statement only');
});

test('later pages of a filtered list contain only its payments, each once', async () => {
  await books.owner.run(sql`
    update payments set status = 'failed' where team_id = ${SMALL.team_id} and right(id, 1) in ('0', '5')`);
  const filters = filterConditions('sandbox', { status: 'failed' }, 'secret_key');
  const seen: string[] = [];
  for (const page of [1, 2, 3, 4, 5]) {
    const rows = await listPayments(books.pool.seeing(SMALL.team_id), SMALL.team_id, filters, {
      kind: 'offset',
      page,
      per_page: 2,
    });
    seen.push(...rows.map(({ id }) => id));
  }
  assert.deepEqual(seen, [30, 25, 20, 15, 10, 5].map(idOf));
});

test('several filters are planned for their values, a single value once for all', async () => {
  const of = { customer_id: 'cus_test_1' };
  const sent = (filters: Parameters<typeof listPayments>[2]) =>
    statementOf((db) => listPayments(db, LARGE.team_id, filters, POSITIONS[0] as Position));
  assert.equal((await sent(filterConditions('sandbox', { status: 'failed' }, 'secret_key', of))).name, undefined);
  assert.equal((await sent(filterConditions('sandbox', { status: 'failed' }, 'secret_key'))).one_plan, true);
});
