import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import type { Segment } from '../../src/platform/search/build-store.ts';
import { mergeable } from '../../src/platform/search/merge.ts';
import { Fixture, OPTIONS, paymentId, type Row } from './fixture.ts';
import { Killed, killedAt } from './killed.ts';
import { Random } from './random.ts';

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

const { segment_rows, merged_rows } = OPTIONS;
const LIMIT_MS = 120_000;
const LARGE = { ...OPTIONS, segment_rows: merged_rows };

function rowsOf(number: number, seed: number): Row[] {
  const random = new Random(seed);
  const start = Date.now() - 900_000;
  return Array.from({ length: number }, (_, i) => ({
    ...{ id: paymentId(start + i * 10), reference: random.text(), description: random.text(), name: random.text() },
    ...{ email: random.text(), phone: `+2376500${random.int(99)}`, status: 'pending', amount_minor: 100, customer_id: null },
    ...{ key_id: 'k', created_at: new Date(start + i * 10).toISOString() },
  }));
}

async function segmentsOf(team_id: bigint): Promise<Segment[]> {
  return fixture.owner.all<Segment>(sql`
    select last_id, segment, row_count from search_segments where team_id = ${team_id} order by last_id`);
}

/** All that a search can read of a team's segments. */
async function indexOf(team_id: bigint): Promise<unknown[]> {
  return fixture.owner.all(sql`
    select s.last_id, s.row_count, s.ids, p.field_group, p.bucket, p.thirds, p.ends, p.lists
    from search_segments s join search_postings p using (team_id, kind, segment) where team_id = ${team_id}
    order by s.last_id, p.field_group, p.bucket`);
}

/** Builds until there are only segments of these numbers of rows. */
async function buildUntil(team_id: bigint, wanted: readonly number[], options = OPTIONS): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const rows = (await segmentsOf(team_id)).map(({ row_count }) => row_count);
    if (`${rows}` === `${wanted}`) return;
    if (performance.now() > deadline) throw new Error(`segments of ${rows} rows, ${await fixture.state(team_id)}`);
    await fixture.roundNow(team_id, undefined, options);
  }
}

/** Builds four segments, none of them merged. Transactions of other tests on the same server can delay it. */
function buildApart(team_id: bigint): Promise<void> {
  return buildUntil(team_id, Array(4).fill(segment_rows), { ...OPTIONS, merged_rows: 1 });
}

const of = (...rows: number[]): Segment[] => rows.map((row_count, i) => ({ last_id: `id${i}`, segment: i, row_count }));
const CASES: { rows: number[]; merged: number[] | null }[] = [
  { rows: [], merged: null },
  { rows: [100], merged: null },
  { rows: [25, 25, 25], merged: null },
  { rows: [25, 25, 25, 25], merged: [0, 1, 2, 3] },
  { rows: [100, 25, 25, 25, 25, 25], merged: [1, 2, 3, 4] },
  { rows: [50, 50], merged: [0, 1] },
  { rows: [50, 37], merged: null },
  { rows: [50, 38], merged: [0, 1] },
  { rows: [25, 80, 25, 63, 25], merged: [2, 3] },
  { rows: [100, 100, 100], merged: null },
  { rows: [101, 50, 51], merged: null },
];
for (const { rows, merged } of CASES) {
  test(`of segments of ${rows.join(', ') || 'no'} rows, ${merged ? merged.join(', ') : 'none'} are merged into one of 100`, () => {
    assert.deepEqual(mergeable(of(...rows), 100)?.map(({ segment }) => segment) ?? null, merged);
  });
}

test('a merged segment is, byte for byte, the segment that is built of all of its rows at once', async () => {
  const rows = rowsOf(merged_rows + segment_rows + 5, 11);
  const [apart, together] = [21n, 22n];
  await fixture.insert(apart, rows);
  await fixture.insert(
    together,
    rows.map((row) => ({ ...row })),
  );
  await buildUntil(apart, [merged_rows, segment_rows]);
  await buildUntil(together, [merged_rows], LARGE);
  const built = await indexOf(together);
  assert.ok(built.length > 500, `${built.length} buckets`);
  const merged = await indexOf(apart);
  assert.deepEqual(merged.slice(0, built.length), built);
});

test('what was recorded before segments are merged stays recorded, and a search stays exact', async () => {
  const team = 23n;
  const rows = rowsOf(merged_rows, 12);
  await fixture.insert(team, rows);
  await buildUntil(team, [merged_rows]);
  await fixture.owner.run(sql`update payments set name = 'Zorah' where team_id = ${team} and id = ${rows[70]?.id}`);
  await fixture.owner.run(sql`delete from payments where team_id = ${team} and id = ${rows[130]?.id}`);
  const list = () => fixture.list(team, { search: 'zorah' });
  assert.deepEqual((await list()).ids, [rows[70]?.id]);
  await fixture.build(team);
  assert.deepEqual((await list()).ids, [rows[70]?.id]);
  assert.match(await fixture.state(team), /"changed":0/);
});

test('rows that change all the time do not keep segments from being merged', async () => {
  const team = 24n;
  const rows = rowsOf(merged_rows, 13);
  await fixture.insert(team, rows);
  await buildApart(team);
  const deadline = performance.now() + LIMIT_MS;
  for (let i = 0; performance.now() < deadline; i++) {
    const { id } = rows[i % 30] as Row;
    await fixture.owner.run(sql`update payments set name = ${`Awa ${i}`} where team_id = ${team} and id = ${id}`);
    await fixture.roundNow(team);
    if ((await segmentsOf(team)).some(({ row_count }) => row_count > 2 * segment_rows)) return;
  }
  assert.fail(`not merged: ${(await segmentsOf(team)).map(({ row_count }) => row_count)}`);
});

test('a worker killed at any statement of a merge leaves searches exact', async () => {
  const team = 25n;
  await fixture.insert(team, rowsOf(merged_rows, 14));
  await buildApart(team);
  const searches = ['awa', 'é'];
  const wanted = await Promise.all(searches.map((search) => fixture.expected(team, search, 'secret')));
  let kills = 0;
  for (; (await segmentsOf(team)).length > 1; kills++) {
    await fixture.roundNow(team, killedAt(fixture.stores.sandbox, kills)).catch((error) => {
      if (!(error instanceof Killed)) throw error;
    });
    for (const [i, search] of searches.entries()) {
      const { ids } = await fixture.list(team, { search, per_page: 100 });
      assert.deepEqual(ids, wanted[i]?.slice(0, 100), `${search}, killed at ${kills}`);
    }
    await fixture.owner.run(sql`update search_builds set leased_until = null where team_id = ${team}`);
  }
  assert.ok(kills > 8, `${kills} kills`);
});
