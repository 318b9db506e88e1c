import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { makeChangedDue } from '../../src/platform/search/build-store.ts';
import { searchSweep } from '../../src/platform/search/sweep.ts';
import type { Sweep } from '../../src/platform/work/sweep.ts';
import { SEARCHABLE_PAYMENTS } from '../../src/core/payments/search.ts';
import { Fixture, OPTIONS, paymentId, type Row } from './fixture.ts';

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

const LIMIT_MS = 120_000;
const START = Date.now() - 900_000;
const team = 31n;
const RESTING = { ...OPTIONS, rest: 1e9 };

function rowsFrom(from: number, count: number): Row[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ id: paymentId(START + (from + i) * 10), reference: null, description: null, name: `Awa ${from + i}`, email: null },
    ...{ phone: null, status: 'pending', amount_minor: 100, customer_id: null, key_id: 'k' },
    created_at: new Date(START + (from + i) * 10).toISOString(),
  }));
}

const rename = (team: bigint, row: Row | undefined, name: string) =>
  fixture.owner.run(sql`update payments set name = ${name} where team_id = ${team} and id = ${row?.id}`);

async function counts(team: bigint): Promise<{ segments: number; changed: number }> {
  const [found] = await fixture.owner.all<{ segments: number; changed: number }>(sql`
    select (select count(*)::integer from search_segments where team_id = ${team}) as segments,
      (select count(*)::integer from search_changed where team_id = ${team}) as changed`);
  return found as { segments: number; changed: number };
}

async function dueRound(sweep: Sweep, team: bigint): Promise<void> {
  await fixture.owner.run(sql`update search_builds set due_at = now() where team_id = ${team}`);
  await sweep.round();
}

/** Runs rounds until it is so. Transactions of other tests on the same server can delay them. */
async function roundsUntil(
  sweep: Sweep,
  team: bigint,
  done: (now: { segments: number; changed: number }) => boolean,
): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS; !done(await counts(team)); await dueRound(sweep, team))
    assert.ok(performance.now() < deadline, await fixture.state(team));
}

test('after a segment was built again, changed rows wait for a rest of their index; searches stay exact, and new segments do not wait', async () => {
  const rows = rowsFrom(0, OPTIONS.segment_rows);
  await fixture.insert(team, rows);
  await fixture.build(team);
  const sweep = searchSweep(fixture.stores.sandbox, [SEARCHABLE_PAYMENTS], RESTING);
  await rename(team, rows[3], 'Zorah');
  await roundsUntil(sweep, team, ({ changed }) => changed === 0);

  await rename(team, rows[7], 'Zorah');
  // More rounds than a claim has kinds of steps.
  for (let i = 0; i < 6; i++) await dueRound(sweep, team);
  assert.deepEqual(await counts(team), { segments: 1, changed: 1 });
  await fixture.insert(team, rowsFrom(OPTIONS.segment_rows, OPTIONS.segment_rows));
  await roundsUntil(sweep, team, ({ segments }) => segments > 1);
  assert.deepEqual(await counts(team), { segments: 2, changed: 1 });
  assert.deepEqual((await fixture.list(team, { search: 'zorah' })).ids, [rows[7]?.id, rows[3]?.id]);

  await fixture.build(team);
  assert.deepEqual(await counts(team), { segments: 2, changed: 0 });
});

test('a worker does not rest while more changed rows wait than a search may have to read', async () => {
  const many = 32n;
  const rows = rowsFrom(0, OPTIONS.segment_rows * 3);
  await fixture.insert(many, rows);
  await fixture.build(many, { ...OPTIONS, merged_rows: 1 });
  for (const row of rows) await rename(many, row, 'Zorah');
  const waiting_rows = OPTIONS.segment_rows;
  const sweep = searchSweep(fixture.stores.sandbox, [SEARCHABLE_PAYMENTS], { ...RESTING, merged_rows: 1, waiting_rows });
  await roundsUntil(sweep, many, ({ changed }) => changed <= waiting_rows);
  for (let i = 0; i < 6; i++) await dueRound(sweep, many);
  assert.deepEqual(await counts(many), { segments: 3, changed: waiting_rows });
});

test('while the index of a busy team rests, that of another team is built again', async () => {
  const [busy, quiet] = [33n, 34n];
  const rows = rowsFrom(0, OPTIONS.segment_rows);
  for (const team of [busy, quiet]) {
    await fixture.insert(team, rows);
    await fixture.build(team);
  }
  const sweep = searchSweep(fixture.stores.sandbox, [SEARCHABLE_PAYMENTS], RESTING);
  await rename(busy, rows[3], 'Zorah');
  await roundsUntil(sweep, busy, ({ changed }) => changed === 0);
  await rename(busy, rows[7], 'Zorah');
  await rename(quiet, rows[7], 'Zorah');
  await roundsUntil(sweep, quiet, ({ changed }) => changed === 0);
  assert.deepEqual(await counts(busy), { segments: 1, changed: 1 });
});

test('however many indexes have changed, each becomes due in its turn, and those that rest do not', async () => {
  const teams = Array.from({ length: 250 }, (_, i) => BigInt(1_000 + i));
  await fixture.owner.run(sql`
    insert into search_changed (team_id, kind, id) select team_id, 'payments', ${paymentId(START)} from unnest(${teams}::bigint[]) as t (team_id)`);
  const resting = teams.filter((team_id) => team_id % 2n === 0n).map((team_id) => ({ team_id, kind: 'payments' }));
  let reached = await makeChangedDue(fixture.owner, resting, { team_id: 999n, kind: 'payments' });
  const due = async () => {
    const found = await fixture.owner.all<{ team_id: bigint }>(
      sql`select team_id from search_builds where team_id = any(${teams}::bigint[]) and due_at is not null order by team_id`,
    );
    return found.map(({ team_id }) => team_id);
  };
  const awake = teams.filter((team_id) => team_id % 2n === 1n);
  assert.deepEqual([reached, await due()], [{ team_id: 1_199n, kind: 'payments' }, awake.slice(0, 100)]);
  reached = await makeChangedDue(fixture.owner, resting, reached);
  assert.deepEqual([reached, await due()], [null, awake]);
});
