import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { COLUMNS as PAYMENTS } from '../../src/core/payments/store.ts';
import { COLUMNS as TRANSFERS } from '../../src/core/transfers/store.ts';
import { sql } from '../../src/kit/sql.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

/** The types are used by statements that read rows from JSON: a wrong one would convert a value. */
for (const [table, columns] of Object.entries({ payments: PAYMENTS, transfers: TRANSFERS })) {
  test(`the columns of ${table} have the types of the database`, async () => {
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
