import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectClient } from '../../src/platform/db/client.ts';
import { Cluster } from './databases.ts';

const LOOKUPS = [
  ...['payments', 'attempts', 'refunds', 'transfers', 'returns', 'disputes'].map((table) => ({
    table,
    columns: ['team_id', 'id'],
  })),
  { table: 'journals', columns: ['team_id', 'source_id'] },
  { table: 'attempts', columns: ['team_id', 'payment_id'] },
];

test('rows of a team are looked up by the index on exactly their key', async () => {
  await using cluster = await Cluster.start();
  const client = await connectClient((await cluster.open(Date.UTC(2026, 0, 5))).live);
  for (const { table, columns } of LOOKUPS) {
    const found = columns.map((column, i) => `${column} = $${i + 1}`).join(' and ');
    const { rows } = await client.query(`explain (generic_plan) select * from ${table} where ${found}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const condition = plan.match(/Index Cond: .*/)?.[0] ?? plan;
    for (const column of columns) assert.match(condition, new RegExp(`\\b${column} = `), `${table}: ${plan}`);
    assert.doesNotMatch(plan, /Filter:/, `${table}: ${plan}`);
  }
  await client.end();
});
