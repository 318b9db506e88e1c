import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, sql } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { until } from '../setup/api.ts';
import { Fixture, OPTIONS, paymentId, type Row } from './fixture.ts';

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

const START = Date.now() - 900_000;

/** A payment that is old enough for the index. */
function rowAt(i: number, name: string): Row {
  const at = START + i * 10;
  return {
    ...{ id: paymentId(at), reference: null, description: null, name, email: null, phone: null, status: 'pending' },
    ...{ amount_minor: 100, customer_id: null, key_id: 'k', created_at: new Date(at).toISOString() },
  };
}

const rowsOf = (number: number) => Array.from({ length: number }, (_, i) => rowAt(i, `Awa ${i}`));

/** A store in which something happens once, before the next transaction begins. */
function beforeTransaction({ environment, db }: Store, happen: () => Promise<unknown>): Store {
  let happened = false;
  const changed: Db = {
    ...{ all: db.all, maybe: db.maybe, run: db.run },
    transaction: async (work) => {
      if (!happened) {
        happened = true;
        await happen();
      }
      return db.transaction(work);
    },
  };
  return { environment, db: changed };
}

test('a row that changes again while its segment is built again is found by its last text', async () => {
  const team = 41n;
  const rows = rowsOf(OPTIONS.segment_rows);
  await fixture.insert(team, rows);
  await fixture.build(team);
  const { id } = rows[30] as Row;
  const rename = (name: string) =>
    fixture.owner.run(sql`update payments set name = ${name} where team_id = ${team} and id = ${id}`);
  await rename('Zorah');
  let changed = false;
  for (let round = 0; !changed; round++) {
    assert.ok(round < 10, await fixture.state(team));
    const store = beforeTransaction(fixture.stores.sandbox, async () => {
      await rename('Quilla');
      changed = true;
    });
    await fixture.roundNow(team, store);
  }
  assert.deepEqual((await fixture.list(team, { search: 'quilla' })).ids, [id]);
  await fixture.build(team);
  assert.deepEqual((await fixture.list(team, { search: 'quilla' })).ids, [id]);
  assert.deepEqual((await fixture.list(team, { search: 'zorah' })).ids, []);
});

test('a payment whose transaction began before the mark was moved past it is found once it is committed', async () => {
  const team = 42n;
  await fixture.insert(team, rowsOf(3 * OPTIONS.segment_rows));
  // The mark is set before all of these rows, and a later round moves it behind them.
  // Transactions of other tests on the same server can be older than the mark.
  const settled = sql`
    select from search_builds where team_id = ${team} and marked_xid <= pg_snapshot_xmin(pg_current_snapshot())`;
  await until(
    async () => {
      await fixture.roundNow(team, undefined, { ...OPTIONS, settled_ms: 3_600_000 });
      return fixture.owner.all(settled);
    },
    (rows) => rows.length === 1,
  );
  const late = rowAt(10.5, 'Zorah');
  await fixture.owner.transaction(async (tx) => {
    await tx.run(sql`
      insert into payments (team_id, id, amount_minor, currency, status, name, key_id, request_id, created_at, updated_at, expires_at)
      select ${team}, ${late.id}, 100, 'XAF', 'pending', ${late.name}, 'k', 'r', at, at, at + interval '1 day'
      from (select ${late.created_at}::timestamptz as at) as one`);
    // Once to move the mark, then often enough to build what is before it.
    for (let moved = 0; moved < 4; ) {
      await fixture.roundNow(team);
      moved += (await fixture.owner.all(sql`select from search_builds where team_id = ${team} and marked_id > ${late.id}`))
        .length;
    }
  });
  assert.deepEqual((await fixture.list(team, { search: 'zorah' })).ids, [late.id]);
  await fixture.build(team);
  assert.deepEqual((await fixture.list(team, { search: 'zorah' })).ids, [late.id]);
});

test('the deadline of a total is that of the request, however often a segment is replaced', async (context) => {
  const team = 49n;
  await fixture.insert(team, rowsOf(2 * OPTIONS.segment_rows));
  await fixture.build(team);
  const { environment, db } = fixture.storeOf(team);
  let passed_ms = 0;
  context.mock.method(performance, 'now', () => passed_ms);
  const maybe: Db['maybe'] = async (statement) => {
    if (!/search_segments s/.test(statement.text)) return db.maybe(statement);
    passed_ms += 13_000;
    return { ids: null } as never; // the segment is replaced
  };
  const replacing: Store = { environment, db: { ...{ all: db.all, run: db.run, transaction: db.transaction }, maybe } };
  const listed = fixture.list(team, { search: 'awa 1', page: 1 }, 'secret', undefined, replacing);
  await assert.rejects(listed, /search: is found too often to be counted in time/);
  assert.equal(passed_ms, 13_000);
});
