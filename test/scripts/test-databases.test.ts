import assert from 'node:assert/strict';
import test from 'node:test';
import { closeTemplate } from '../../scripts/testing/cluster.ts';
import { connectClient } from '../../src/platform/db/client.ts';
import { cloneDatabases } from '../setup/databases.ts';
import { atEnd, query } from '../db/helpers.ts';

test('each test file has three databases of its own, with the newest schema', async (t) => {
  const sets = await Promise.all([1, 2, 3, 4].map(() => cloneDatabases()));
  for (const set of sets) atEnd(t, () => set.drop());
  const urls = sets.flatMap(({ control, sandbox, live }) => [control, sandbox, live]);
  assert.equal(new Set(urls).size, 12);
  for (const url of urls) {
    const [row] = await query(url, 'select count(*)::int as n from schema_migrations');
    assert.ok((row?.n as number) > 0);
  }
});

test('a template has what each connection reads at its start, so that every copy has it', async (t) => {
  const { live, drop } = await cloneDatabases();
  atEnd(t, drop);
  const name = new URL(live).pathname.slice(1);
  const client = await connectClient(Object.assign(new URL(live), { pathname: '/postgres' }).href);
  // One made here: in a long run, an autovacuum of what all databases share deletes it from the templates again.
  await closeTemplate(client, name, live);
  const { rows } = await client.query(
    `select datistemplate, datallowconn, f is not null as has_file
    from pg_database d left join pg_ls_dir('base/' || d.oid) f on f = 'pg_internal.init' where datname = $1`,
    [name],
  );
  await client.query(`alter database ${name} with is_template false allow_connections true`);
  await client.end();
  assert.deepEqual(rows, [{ datistemplate: true, datallowconn: false, has_file: true }]);
});

test('data written in one database is in no other, and dropping does not wait for open connections', async () => {
  const [one, other] = await Promise.all([cloneDatabases(), cloneDatabases()]);
  await query(one.live, 'create table mine (n int)');
  for (const url of [one.sandbox, one.control, other.live]) {
    await assert.rejects(query(url, 'select * from mine'), { code: '42P01' });
  }
  const connected = assert.rejects(query(other.live, 'select pg_sleep(60)'), { code: '57P01' });
  await Promise.all([one.drop(), untilBusy(other.live).then(() => other.drop())]);
  await connected;
  await assert.rejects(query(one.live, 'select 1'), { code: '3D000' });
});

/** Until somebody sleeps in this database: other tests sleep on the same server. */
async function untilBusy(url: string): Promise<void> {
  const asleep = `select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'
    and datname = current_database()`;
  while ((await query(url, asleep)).length === 0);
}
