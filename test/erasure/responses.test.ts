import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tablesTo } from '../../src/edge/erasure/catalogue.ts';
import { clearAbout, writtenIn } from '../../src/edge/erasure/rows-store.ts';
import { must } from '../../src/kit/errors.ts';
import { createLog } from '../../src/kit/log.ts';
import { type Sql, sql, type Tx } from '../../src/kit/sql.ts';
import { APP_ROLE, type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { findEntries } from '../../src/tenants/audit/store.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/* Which responses of receivers an erasure clears, and by which indexes it and the audit trail find their rows. */

let databases: Databases;
let owner: DbPool;
let app: DbPool;
before(async () => {
  databases = await cloneDatabases();
  const log = createLog({ level: 'silent', format: 'json' });
  owner = openPool({ url: databases.sandbox, size: 1, log });
  app = openPool({ url: databases.sandbox, size: 1, log, role: APP_ROLE });
});
after(async () => {
  await Promise.all([app.close(), owner.close()]);
  await databases.drop();
});

const table = must(
  tablesTo('event').find(({ name }) => name === 'delivery_attempts'),
  'responses are erased',
);

/** The plans of the statements that the work sends. */
async function plansOf(tx: Tx, work: (recording: Tx) => Promise<unknown>): Promise<string> {
  await tx.run(sql`set local enable_seqscan = off`);
  const sent: Sql[] = [];
  const all = async <Row>(statement: Sql) => {
    sent.push(statement);
    return [] as Row[];
  };
  await work({ ...tx, all, run: async (statement) => (await all(statement)).length });
  const plans = sent.map(({ text, values }) => tx.all<{ 'QUERY PLAN': string }>({ text: `explain (costs off) ${text}`, values }));
  return (await Promise.all(plans)).flatMap((lines) => lines.map((line) => line['QUERY PLAN'])).join('\n');
}

test('an erasure clears every response except acknowledgements, of its events and its team only', async () => {
  const bodies = ['ok', 'OK', '', '{"received":true}', 'ok Awa', 'Awa', '{"name":"Awa"}', ' ', null];
  await owner.run(sql`
    insert into delivery_attempts (team_id, id, endpoint_id, event_id, event_type, attempt, succeeded, response_body, duration_ms, created_at)
    select team, 'whd_' || team || event || n, 'wh_1', event, 'payment.succeeded', 1, true, body, 1, now()
    from unnest(array[1, 2]) team, unnest(array['evt_1', 'evt_2']) event, unnest(${bodies}::text[]) with ordinality as made(body, n)`);
  await app.seeing(1n).transaction((tx) => clearAbout(tx, table, 1n, ['evt_1']));
  const left = (team: bigint, event: string) =>
    owner.all<{ body: string | null }>(sql`
      select response_body as body from delivery_attempts where team_id = ${team} and event_id = ${event} order by id`);
  const kept = ['ok', 'OK', '', '{"received":true}', null, null, null, null, null];
  assert.deepEqual(
    (await left(1n, 'evt_1')).map(({ body }) => body),
    kept,
  );
  for (const [team, event] of [
    [1n, 'evt_2'],
    [2n, 'evt_1'],
  ] as const) {
    assert.deepEqual(
      (await left(team, event)).map(({ body }) => body),
      bodies,
    );
  }
});

test('it finds them by an index in which acknowledgements take no space', async () => {
  assert.deepEqual(writtenIn(table), ['response_body']);
  const plan = await app.seeing(1n).transaction((tx) => plansOf(tx, (recording) => clearAbout(recording, table, 1n, ['evt_1'])));
  assert.match(plan, /delivery_attempts_responses/);
});

test('the command line finds the audit entries of a resource by an index', async () => {
  const wanted = { resource_id: 'trx_test_01m7z5k2m0v159b648bmcr09rt' };
  const plan = await owner.transaction((tx) => plansOf(tx, (recording) => findEntries(recording, wanted, 10)));
  assert.match(plan, /Index Cond: \(resource_id =/);
});
