import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BUCKETS } from '../../src/core/balance/schema.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import { type Queryable, type Sql, sql } from '../../src/kit/sql.ts';
import { countFurther, readChanges } from '../../src/money/ledger/days.ts';
import { countSides, listSides, type SideFilters, type Stretch } from '../../src/money/ledger/history.ts';
import { idsWithin } from '../../src/money/ledger/moments.ts';
import { addUpDays, type Books, openBooks } from './books.ts';

const JOURNALS = 30_000;
const EVERYTHING: SideFilters = {
  accounts: [...BUCKETS],
  currencies: CURRENCIES,
  kind: null,
  from: null,
  before: null,
  ids: { from: null, to: null },
};
const FIRST: Stretch = { order: 'newest', place: null, inclusive: false, offset: 0, limit: 26 };

let books: Books;
/** Partitions that have no block, and nothing to read but by reading them whole. None where the tables are not partitioned. */
let empty: string[];
before(async () => {
  books = await openBooks();
  // One journal each minute from the first of January; every thousandth is a dispute, every hundredth for a subaccount.
  await books.app.run(sql`
    with made as (
      insert into journals (team_id, kind, source_id, subject_id, created_at)
      select 1, case when i % 1000 = 0 then 'dispute.opened' else 'payment.succeeded' end, 'att_' || i, 'trx_' || i,
        timestamptz '2026-01-01 00:00Z' + i * interval '1 minute'
      from generate_series(0, ${JOURNALS - 1}) i order by i returning team_id, id, kind
    )
    insert into postings (team_id, journal_id, line, currency, debit, credit, amount_minor)
    select team_id, id, line, 'XAF', debit, credit, 100 from made, lateral (values
      (1, 'clearing', case when kind = 'dispute.opened' then 'disputed' when id % 100 = 1 then 'pending:acct_1' else 'pending' end),
      (2, 'pending', 'fee_income')) lines(line, debit, credit)`);
  await books.owner.run(sql`analyze`);
  const found = await books.owner.all<{ name: string }>(sql`
    select c.relname::text as name from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent in ('journals'::regclass, 'postings'::regclass) and pg_relation_size(c.oid) = 0`);
  empty = found.map(({ name }) => name);
});
after(() => books.close());

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Rows that a statement read from the ledger's tables, and the tables it read whole. */
async function reading(
  work: (db: Queryable) => Promise<unknown>,
  db: Queryable = books.app,
): Promise<{ rows: number; whole: string[] }> {
  let asked: Sql | undefined;
  const note = async (statement: Sql) => {
    asked = statement;
    return [];
  };
  await work({ ...db, all: note as Queryable['all'] });
  const { text, values } = asked as Sql;
  const [answer] = await db.all<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
    text: `explain (analyze, format json) ${text}`,
    values,
  });
  const nodes = below((answer as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan).filter(
    (node) => node['Relation Name'],
  );
  // Of a partitioned table, only the partition of the team is read.
  const read = new Set(nodes.filter((node) => node['Actual Loops'] > 0).map((node) => node['Relation Name'] as string));
  for (const table of ['journals', 'postings']) {
    const partitions = [...read].filter((name) => name === table || new RegExp(`^${table}_\\d+$`).test(name));
    assert.ok(partitions.length <= 1, `one partition is read: ${partitions.join(', ')}`);
  }
  return {
    rows: nodes.reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
    whole: nodes
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'] as string)
      .filter((name) => !empty.includes(name)),
  };
}

function below(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(below)];
}

const place = { source_id: 'att_15000', kind: 'payment.succeeded', line: 2, side: 'debit' } as const;
const day = async () => {
  const [from, before] = [new Date('2026-01-10'), new Date('2026-01-11')];
  return { from, before, ids: await idsWithin(books.app, 1n, from, before) };
};

const PAGES: [string, () => Promise<SideFilters> | SideFilters, Stretch][] = [
  ['the first page', () => EVERYTHING, FIRST],
  ['a page in the middle', () => EVERYTHING, { ...FIRST, place }],
  ['a page back from the middle', () => EVERYTHING, { ...FIRST, place, order: 'oldest' }],
  ['a rare bucket', () => ({ ...EVERYTHING, accounts: ['disputed'] }), FIRST],
  ['a bucket without lines', () => ({ ...EVERYTHING, accounts: ['reserved'] }), FIRST],
  ['a subaccount', () => ({ ...EVERYTHING, accounts: ['pending:acct_1'] }), FIRST],
  ['a currency without lines', () => ({ ...EVERYTHING, currencies: ['USD'] }), FIRST],
  ['the commonest kind', () => ({ ...EVERYTHING, kind: 'payment.succeeded' }), FIRST],
  ['a rare kind', () => ({ ...EVERYTHING, kind: 'dispute.opened' }), FIRST],
  ['a kind that does not exist', () => ({ ...EVERYTHING, kind: 'dispute.won' }), FIRST],
  ['a day long ago', async () => ({ ...EVERYTHING, ...(await day()) }), FIRST],
  ['a rare kind of a day', async () => ({ ...EVERYTHING, ...(await day()), kind: 'dispute.opened' }), FIRST],
];

for (const [what, filters, stretch] of PAGES) {
  test(`${what} is an index scan, not a scan of the ledger`, async () => {
    const asked = await filters();
    const { rows, whole } = await reading((db) => listSides(db, 1n, asked, stretch));
    assert.deepEqual(whole, []);
    assert.ok(rows < 1_000, `${rows} rows were read`);
  });
}

test('counting only the newest lines does not count the whole ledger', async () => {
  const [newest] = await books.app.all<{ id: bigint }>(sql`select id from journals order by id desc limit 1`);
  const ids = { from: (newest?.id ?? 0n) - 50n, to: null };
  const { rows, whole } = await reading((db) =>
    countSides({ ...db, maybe: async (statement) => void (await db.all(statement)) }, 1n, { ...EVERYTHING, ids }),
  );
  assert.deepEqual(whole, []);
  assert.ok(rows < 500, `${rows} rows were read`);
});

test('a period is converted into a range of ids that is hardly larger', async () => {
  const { ids } = await day();
  const inside = await books.app.all<{ id: bigint }>(sql`
    select id from journals where created_at >= ${new Date('2026-01-10')} and created_at < ${new Date('2026-01-11')} order by id`);
  const [first, last] = [inside[0]?.id ?? 0n, inside.at(-1)?.id ?? 0n];
  assert.equal(inside.length, 1_440);
  assert.ok(ids.from !== null && ids.from <= first && first - ids.from <= 1n);
  assert.ok(ids.to !== null && ids.to > last && ids.to - last <= 2n);
  assert.deepEqual(await idsWithin(books.app, 1n, null, null), { from: null, to: null });
  assert.deepEqual(await idsWithin(books.app, 404n, new Date(), new Date()), { from: 0n, to: 0n });
});

test('a statement reads the sums by day and the journals that are not in them, however long the ledger is', async () => {
  const { pool } = books;
  const db = { ...pool, ...pool.seeing(1n) };
  let counted = 0;
  while (counted === 0) counted = await countFurther(db, 1n);
  assert.equal(counted, 10_000, 'in one round');
  await addUpDays(db, 1n);
  const days = { from: '2026-01-10', before: '2026-02-01' };
  for (const subaccount of [null, 'acct_1']) {
    const owner = { team_id: 1n, subaccount, currency: 'XAF' };
    const { rows, whole } = await reading((asked) => readChanges(asked, owner, days), db);
    assert.ok(rows < 500, `${rows} rows`);
    assert.deepEqual(
      whole.filter((table) => /^(journals|postings)(_\d+)?$/.test(table)),
      [],
    );
  }
});
