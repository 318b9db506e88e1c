import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fields from '../../src/core/payments/fields.ts';
import { filterConditions } from '../../src/core/payments/list-store.ts';
import { listPaymentsQuery } from '../../src/core/payments/schema.ts';
import { pagingQuery } from '../../src/kit/paging.ts';
import { compareGolden } from '../setup/golden.ts';

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
  const query: object = { page: 2, per_page: 10, customer_id: 'cus_1', link_id: 'lnk_1' };
  assert.deepEqual(filterConditions('live', query, 'anyone'), []);
});

test('each field is defined as in the golden list, and everything that is derived from the fields', () => {
  const text = (value: unknown) => JSON.stringify(value);
  const lines = Object.entries(fields.FIELDS).map(([name, field]) => `${name}: ${text(field)}`);
  const lists = {
    ...{ sent: Object.keys(fields.sent), equals: Object.keys(fields.equals), equalColumns: fields.equalColumns },
    ...{ columns: fields.STORED_COLUMNS, details: fields.STORED_DETAILS },
    ...Object.fromEntries(
      (['anyone', 'secret_key'] as const).map((by) => [
        `searched by ${by}`,
        fields.searchedFields(by).map(({ column }) => column),
      ]),
    ),
    ...Object.fromEntries(
      (['column', 'details'] as const).flatMap((place) => [
        [`stored in ${place}`, fields.storedList(place)],
        [`stored in ${place}, shown`, fields.storedList(place, true)],
      ]),
    ),
  };
  const views = (['created', 'listed', 'public', 'retrieved'] as const).flatMap((view) => [
    `view ${view}: ${fields
      .shownIn(view)
      .map(({ name, column }) => (name === column ? name : `${name} (${column})`))
      .join(' ')}`,
    `schema of ${view}: ${text(fields.replyOf(view))}`,
  ]);
  compareGolden('payment-fields.txt', [
    ...lines,
    ...Object.entries(lists).map(([name, list]) => `${name}: ${text(list)}`),
    ...views,
  ]);
});
