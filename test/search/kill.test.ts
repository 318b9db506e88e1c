import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/kit/sql.ts';
import { Fixture, paymentId, type Row } from './fixture.ts';
import { Killed, killedAt } from './killed.ts';

let fixture: Fixture;
before(async () => {
  fixture = await Fixture.open();
});
after(() => fixture.close());

const TEAM = 7n;
const rows = Array.from({ length: 150 }, (_, i): Row => {
  const at = Date.now() - 600_000 + i * 10;
  return {
    ...{
      id: paymentId(at),
      reference: `order-${i}`,
      description: null,
      name: i % 50 === 0 ? 'Awa' : 'Jean',
      email: null,
      phone: null,
    },
    ...{ status: 'pending', amount_minor: 100, customer_id: null, key_id: 'k', created_at: new Date(at).toISOString() },
  };
});

async function checkAll(said: string): Promise<void> {
  for (const search of ['awa', 'jean', 'order-1', 'fatou', 'trx_test', 'o']) {
    const wanted = await fixture.expected(TEAM, search, 'secret');
    const { ids, total } = await fixture.list(TEAM, { search, per_page: 100 });
    assert.deepEqual(ids, wanted.slice(0, 100), `${search} ${said}`);
    assert.equal(total, wanted.length, `${search} ${said}`);
  }
}

/** Kills a worker before each of its statements in turn, until one survives the round. @returns number of kills */
async function killEverywhere(said: string): Promise<number> {
  for (let n = 0; ; n++) {
    let survived = true;
    await fixture.roundNow(TEAM, killedAt(fixture.stores.sandbox, n)).catch((error) => {
      if (!(error instanceof Killed)) throw error;
      survived = false;
    });
    await checkAll(`${said}, killed at ${n}`);
    // The lease of the killed worker ends.
    await fixture.owner.run(sql`update search_builds set leased_until = null where team_id = ${TEAM}`);
    if (survived) return n;
  }
}

test('a worker killed between any two statements leaves searches exact, and the next one continues', async () => {
  await fixture.insert(TEAM, rows);
  let kills = 0;
  // A round does nothing while the transactions of other tests on the server are older than the mark.
  while (!(await fixture.state(TEAM)).includes('"segments":2')) kills += await killEverywhere('building');
  await fixture.owner.run(sql`update payments set name = 'Fatou' where team_id = ${TEAM} and id = ${rows[3]?.id}`);
  assert.match(await fixture.state(TEAM), /"changed":1/);
  kills += await killEverywhere('a changed segment');
  assert.match(await fixture.state(TEAM), /"segments":2.*"changed":0/);
  assert.ok(kills > 20, `${kills} kills`);
});

test('after an erasure the index has no list that only the erased text explains', async () => {
  const lists = () =>
    // Of the names: a random id may have the letters too.
    fixture.owner.all(sql`
      select 1 from search_postings where team_id = ${TEAM} and field_group = 1 and bucket = 'fa' and strpos(thirds, 't') > 0`);
  assert.equal((await lists()).length, 1);
  await fixture.owner.run(sql`update payments set name = 'Deleted' where team_id = ${TEAM} and name = 'Fatou'`);
  await fixture.build(TEAM);
  assert.equal((await lists()).length, 0);
  assert.deepEqual((await fixture.list(TEAM, { search: 'fatou' })).ids, []);
});
