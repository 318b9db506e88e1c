import assert from 'node:assert/strict';
import test from 'node:test';
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

test('the templates have what each connection reads at its start, so that every copy has it', async (t) => {
  const { live, drop } = await cloneDatabases();
  atEnd(t, drop);
  const server = Object.assign(new URL(live), { pathname: '/postgres' }).href;
  const text = `select datname from pg_database d, pg_ls_dir('base/' || d.oid) f
    where datistemplate and not datallowconn and f = 'pg_internal.init' and datname like 'template\\_%' order by 1`;
  assert.deepEqual(
    (await query(server, text)).map(({ datname }) => datname),
    ['template_control', 'template_live', 'template_sandbox', 'template_store'],
  );
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
