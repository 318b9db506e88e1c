import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

let databases: Databases;
let owner: DbPool;
before(async () => {
  databases = await cloneDatabases();
  owner = openPool({ url: databases.sandbox, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await databases.drop();
});

/** Tables of a store that belong to no team, and why. */
const OF_NO_TEAM: Record<string, string> = {
  schema_migrations: 'which migrations were run',
  ledger_group_seals: 'hashes over the journals of a group of teams',
  ledger_seals: 'hashes over the journals of all teams',
  work_members: 'which worker processes run',
  audit_group_seals: 'hashes over the audit entries of a group of teams',
  audit_seals: 'hashes over the audit entries of all teams',
};

interface Table {
  name: string;
  of_team: boolean;
  protected: boolean;
  owned_by_app: boolean;
}

const tables = () =>
  owner.all<Table>(sql`
    select c.relname as name, c.relrowsecurity as protected, pg_get_userbyid(c.relowner) like 'pirogue_a%' as owned_by_app,
      exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'team_id' and not a.attisdropped) as of_team
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname`);

test('every table with a team_id has row-level security; all other tables are listed', async () => {
  const all = await tables();
  assert.ok(all.length > 20, 'the tables are seen');
  const bare = all.filter((table) => table.of_team && !table.protected).map(({ name }) => name);
  assert.deepEqual(bare, [], "end the migration that makes the table with: select pirogue_protect('its_name')");
  const unknown = all.filter((table) => !table.of_team && OF_NO_TEAM[table.name] === undefined).map(({ name }) => name);
  assert.deepEqual(unknown, [], 'give it a team_id, or say in OF_NO_TEAM why it belongs to no team');
  assert.deepEqual(
    all.filter((table) => table.owned_by_app),
    [],
    'no policy holds the owner of a table',
  );
});

test('each table has the two policies of pirogue_protect and no others', async () => {
  const protectedTables = (await tables()).filter((table) => table.protected).map(({ name }) => name);
  const policies = await owner.all<{ tablename: string; policy: string }>(sql`
    select tablename, concat_ws(' ', policyname, permissive, array_to_string(roles, ','), cmd, qual, with_check) as policy
    from pg_policies where schemaname = 'public' order by tablename, policyname`);
  assert.deepEqual(
    policies,
    protectedTables.flatMap((tablename) => [
      { tablename, policy: 'all_teams PERMISSIVE pirogue_all_teams ALL true' },
      { tablename, policy: 'own_team PERMISSIVE pirogue_app ALL (team_id = pirogue_team())' },
    ]),
  );
});

test('no role of the service reads or writes a partition directly, and each partition has the policies all the same', async () => {
  await owner.run(sql`select pirogue_make_partitions('sandbox', now())`);
  const partitions = await owner.all<{ name: string; protected: boolean; policies: number; usable: boolean }>(sql`
    select c.relname as name, c.relrowsecurity as protected,
      (select count(*)::integer from pg_policies p where p.schemaname = 'pirogue_partitions' and p.tablename = c.relname) as policies,
      (select bool_or(has_table_privilege(role, c.oid, 'select, insert, update, delete, truncate'))
        from unnest(array['pirogue_app', 'pirogue_all_teams', 'pirogue_service']) role) as usable
    from pg_class c where c.relnamespace = 'pirogue_partitions'::regnamespace and c.relispartition and c.relkind = 'r'`);
  assert.ok(partitions.length >= 20, 'five tables, each with a default partition and three others');
  assert.deepEqual(
    partitions.filter((one) => !one.protected || one.policies !== 2 || one.usable),
    [],
  );
  const [schema] = await owner.all(sql`
    select bool_or(has_schema_privilege(role, 'pirogue_partitions', 'usage, create')) as usable
    from unnest(array['pirogue_app', 'pirogue_all_teams', 'pirogue_service']) role`);
  assert.deepEqual(schema, { usable: false });
});

test('neither role can bypass the policies, and one line protects a table', async () => {
  const roles = await owner.all(sql`
    select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname in ('pirogue_app', 'pirogue_all_teams')
    order by rolname desc`);
  const harmless = { rolsuper: false, rolbypassrls: false, rolcanlogin: false };
  assert.deepEqual(roles, [
    { rolname: 'pirogue_app', ...harmless },
    { rolname: 'pirogue_all_teams', ...harmless },
  ]);
  await owner.run(sql`create table later (team_id bigint not null, what text)`);
  assert.deepEqual(
    (await tables()).filter(({ name }) => name === 'later').map((table) => table.protected),
    [false],
  );
  await owner.run(sql`select pirogue_protect('later')`);
  assert.deepEqual(
    (await tables()).filter(({ name }) => name === 'later').map((table) => table.protected),
    [true],
  );
});

test('only triggers bypass the policies, with the rows of their statement, and what makes and drops partitions', async () => {
  const found = await owner.all<{ name: string }>(sql`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by proname`);
  assert.deepEqual(
    found.map(({ name }) => name),
    [
      ...['pirogue_clear_answer', 'pirogue_drop_partition', 'pirogue_make_partitions', 'pirogue_number_events'],
      ...['pirogue_search_changed', 'pirogue_search_customer_recorded', 'pirogue_search_inserted', 'pirogue_search_recorded'],
    ],
  );
});

/** Tables of the people who sign in to the console. */
const PEOPLE = [
  ...[
    'users',
    'memberships',
    'passkeys',
    'recovery_codes',
    'console_sessions',
    'console_views',
    'user_links',
    'sign_in_failures',
    'user_mails',
  ],
];

test('the service only reads control, apart from what processes report to each other and what people do in the console', async (t) => {
  const control = openPool({ url: databases.control, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  t.after(() => control.close());
  const writable = await control.all<{ relname: string; privilege: string }>(sql`
    select relname, role, privilege
    from pg_class, unnest(array['pirogue_app', 'pirogue_all_teams', 'pirogue_service']) role, unnest(array['insert', 'update']) privilege
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and has_any_column_privilege(role, oid, privilege)
    union all
    select relname, role, privilege
    from pg_class, unnest(array['pirogue_app', 'pirogue_all_teams', 'pirogue_service']) role, unnest(array['delete', 'truncate']) privilege
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and has_table_privilege(role, oid, privilege)`);
  const byTable = Map.groupBy(writable, ({ relname }) => relname);
  const found = [...byTable].map(([table, rows]) => [
    table,
    [...new Set(rows.map(({ privilege }) => privilege))].sort().join(' '),
  ]);
  const all = 'delete insert update';
  assert.deepEqual(Object.fromEntries(found), {
    // Hints, on which no decision about money or access depends (docs/decisions/0073-several-processes.md).
    node_reports: all,
    // People, whose sessions write (docs/decisions/0086-console.md). Their actions are only added to the trail.
    ...Object.fromEntries(PEOPLE.map((table) => [table, all])),
    used_challenges: 'delete insert',
    audit_entries: 'insert',
    audit_seals: 'insert',
    // What waits for a second person (docs/decisions/0092-approvals.md).
    approvals: all,
    approval_thresholds: all,
    // Keys and settings, column by column (docs/decisions/0089-keys-in-the-console.md).
    api_keys: 'insert update',
    teams: 'update',
  });
});

test('of keys and teams the service writes some columns only: neither what a key may do nor what an operator decides', async (t) => {
  const control = openPool({ url: databases.control, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  t.after(() => control.close());
  const rows = await control.all<{ name: string; privilege: string; columns: string }>(sql`
    select c.relname as name, privilege, string_agg(a.attname, ' ' order by a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped,
      unnest(array['insert', 'update']) privilege
    where c.relnamespace = 'public'::regnamespace and c.relname in ('api_keys', 'teams')
      and has_column_privilege('pirogue_app', c.oid, a.attnum, privilege)
    group by c.relname, privilege order by c.relname, privilege`);
  assert.deepEqual(rows, [
    {
      name: 'api_keys',
      privilege: 'insert',
      columns: 'allowed_ips created_at environment expires_at hash id idempotency_key kind last4 scopes team_id',
    },
    { name: 'api_keys', privilege: 'update', columns: 'active expires_at revoked_at' },
    {
      name: 'teams',
      privilege: 'update',
      columns:
        'address brand_color default_currency email hosted_retry name payer_language payer_language_always public_keys tax_id unique_references updated_at',
    },
  ]);
});
