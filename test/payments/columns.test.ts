import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { equalColumns } from '../../src/core/payments/fields.ts';
import { COLUMNS as PAYMENTS } from '../../src/core/payments/store.ts';
import { COLUMNS as TRANSFERS } from '../../src/core/transfers/store.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

/** The types are used by statements that read rows from JSON: a wrong one would convert a value. */
for (const [table, columns] of Object.entries({ payments: PAYMENTS, transfers: TRANSFERS })) {
  test(`the column types of ${table} match the database`, async () => {
    const rows = await api.deps.stores.sandbox.db.all<{ name: string; type: string }>(sql`
      select column_name as name, udt_name::regtype::text as type
      from information_schema.columns where table_name = ${table}`);
    const found = Object.fromEntries(
      rows.map(({ name, type }) => [name, type.replace('timestamp with time zone', 'timestamptz')]),
    );
    const expected = Object.fromEntries(Object.keys(columns).map((name) => [name, found[name]]));
    assert.deepEqual(columns, expected);
  });
}

test('a list filtered by a field has an index on the team and the field', async () => {
  const rows = await api.deps.stores.sandbox.db.all<{ columns: string[] }>(sql`
    select (select array_agg(a.attname::text order by k.n) from unnest(i.indkey::int2[]) with ordinality k(attnum, n)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
    from pg_index i where i.indrelid = 'payments'::regclass`);
  const indexed = rows.map(({ columns }) => columns.join(' '));
  for (const { name, column } of equalColumns) assert.ok(indexed.includes(`team_id ${column} id`), `${name} has no index`);
});
