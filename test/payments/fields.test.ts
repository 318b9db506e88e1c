import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterConditions } from '../../src/core/payments/list-store.ts';
import { listPaymentsQuery } from '../../src/core/payments/schema.ts';
import { pagingQuery } from '../../src/kit/paging.ts';

const filters = Object.entries(listPaymentsQuery.properties).filter(([name]) => !(name in pagingQuery));

/** A value that the schema allows. */
function sample(schema: { type?: string; format?: string; enum?: unknown[] }): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.format === 'date') return '2026-11-22';
  return schema.type === 'number' ? 1 : 'text';
}

for (const [name, schema] of filters) {
  test(`the query field ${name} adds a condition; without one, a list would get the total of all payments`, () => {
    assert.equal(filterConditions('live', { [name]: sample(schema) }, 'anyone').length, 1);
  });
}

test('a query without filters adds no condition, nor does a field that the list does not have', () => {
  const query = { page: 2, per_page: 10, search: '', customer_id: 'cus_1', link_id: 'lnk_1' };
  assert.deepEqual(filterConditions('live', query, 'anyone'), []);
});
