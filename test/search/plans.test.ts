import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ListPaymentsQuery } from '../../src/core/payments/schema.ts';
import { type Db, type Sql, sql } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { DEFAULT_BUILD } from '../../src/platform/search/sweep.ts';
import { Fixture, paymentId } from './fixture.ts';

/** Rows of the team that is searched, beside another team of the same size in the same tables. */
const ROWS = 100_000;
const TEAM = 1n;

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
  for (const team_id of [TEAM, 2n]) {
    await fixture.owner.run(sql`
      insert into payments (team_id, id, reference, amount_minor, currency, status, description, name, email, phone, key_id, request_id,
        created_at, updated_at, expires_at)
      select ${team_id}, left(${paymentId(Date.now() - 3_600_000)}, 19) || lpad(i::text, 16, '0'), 'order-' || i, 100, 'XAF',
        case i % 1000 when 0 then 'failed' else 'succeeded' end, 'Two baskets', 'Awa Ndiaye', 'payer' || i || '@shop.example',
        '+237650000000', 'k', 'r', now(), now(), now()
      from generate_series(1, ${ROWS}::integer) i`);
  }
  await fixture.owner.run(sql`vacuum (analyze) payments`);
  await fixture.build(TEAM, DEFAULT_BUILD);
  // Each of the three steps of a build comes first once: what can be merged is.
  for (let i = 0; i < 3; i++) await fixture.roundNow(TEAM, undefined, DEFAULT_BUILD);
  assert.match(await fixture.state(TEAM), /"segments":3,/);
  await fixture.owner.run(sql`vacuum (analyze) search_segments`);
  await fixture.owner.run(sql`vacuum (analyze) search_postings`);
});
after(() => fixture.close());

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Rows Removed by Filter'?: number;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** A store that also explains its statements, as the service's role. */
function explaining(store: Store, seen: { statement: Sql; nodes: Node[] }[]): Store {
  const explain = async (statement: Sql) => {
    const { text, values } = statement;
    const rows = await store.db.all<{ 'QUERY PLAN': { Plan: Node }[] }>({
      text: `explain (analyze, format json) ${text}`,
      values,
    });
    seen.push({ statement, nodes: nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan as Node) });
  };
  const db: Db = {
    ...store.db,
    all: async (statement) => {
      await explain(statement);
      return store.db.all(statement);
    },
    maybe: async (statement) => {
      await explain(statement);
      return store.db.maybe(statement);
    },
  };
  return { ...store, db };
}

const SEARCHES = [
  { search: 'order-77777' },
  { search: 'nobody' },
  { search: '~~' },
  { search: '~' },
  { search: '7777' },
  { search: 'é' },
  { search: 'order-7777', status: 'succeeded' as const },
  { search: 'nobody', cursor: '' },
  { search: 'awa', cursor: '' },
];

/** The rows that no segment covers, and those that a list leaves to compare. */
const MOST = DEFAULT_BUILD.segment_rows + 5_000;

for (const query of SEARCHES) {
  test(`every statement of ${JSON.stringify(query)} reads little and by an index`, async () => {
    const read = await paymentsRead(query);
    // Twice: once for the total, once for the page.
    assert.ok(read <= 2 * MOST, `${read} payments are read`);
  });
}

/** Rows behind the last segment: 100,000 - 65,536 - 2 * 16,384. */
const UNCOVERED = 1_696;
const FEW = 100;

test('lists are chosen for each segment: those of the newest leave many rows of an older one', async () => {
  // No reference in the newest segment has "r-6", but 6,648 of 65,536 in the oldest one have, and few of them "612", "123" and "234".
  const read = await paymentsRead({ search: 'order-61234', cursor: '' });
  assert.ok(read <= UNCOVERED + FEW, `${read} payments are read`);
});

/** Returns how many payments a search reads. Each of its statements has to read them by an index. */
async function paymentsRead(query: ListPaymentsQuery): Promise<number> {
  const seen: { statement: Sql; nodes: Node[] }[] = [];
  await fixture.list(TEAM, query, 'secret', undefined, explaining(fixture.storeOf(TEAM), seen));
  assert.ok(seen.length >= 2);
  let read = 0;
  for (const { statement, nodes } of seen) {
    for (const node of nodes) {
      const said = `${node['Node Type']} ${node['Relation Name']} in ${statement.text}`;
      // Of a handful of rows all are read.
      if (!['search_changed', 'search_segments'].includes(node['Relation Name'] ?? ''))
        assert.notEqual(node['Node Type'], 'Seq Scan', said);
      if (node['Relation Name'] === 'payments') {
        read += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        assert.match(node['Index Name'] ?? '', /^payments_(pkey|status)$/, said);
      }
    }
  }
  return read;
}

test('a payment that was inserted late or changed is found by an index too', async () => {
  const { id } = (await fixture.owner.maybe<{ id: string }>(sql`
    update payments set reference = 'changed a moment ago' where team_id = ${TEAM}
      and id = (select id from payments where team_id = ${TEAM} order by id offset 500 limit 1) returning id`)) as { id: string };
  const seen: { statement: Sql; nodes: Node[] }[] = [];
  const found = await fixture.list(
    TEAM,
    { search: 'a moment ago' },
    'secret',
    undefined,
    explaining(fixture.storeOf(TEAM), seen),
  );
  assert.deepEqual(found.ids, [id]);
});
