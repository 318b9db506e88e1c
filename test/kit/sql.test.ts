import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, fixed, PLANNED_EACH_TIME, part, sql } from '../../src/kit/sql.ts';

const columns = fixed('id, name');
const one = (id: number) => sql`select ${columns} from t where id = ${id}`;

test('a statement with values and constant fragments is prepared under one name', () => {
  const [first, second] = [one(1), one(2)];
  assert.deepEqual([first.text, first.values, second.values], ['select id, name from t where id = $1', [1], [2]]);
  assert.ok(first.name);
  assert.equal(first.name, second.name);
});

test('the same call site with another constant fragment is another statement', () => {
  const ordered = (order: 'asc' | 'desc') => sql`select 1 order by id ${fixed(order)}`;
  assert.notEqual(ordered('asc').name, ordered('desc').name);
});

test('statements with variable conditions, or marked to be planned each time, are not prepared', () => {
  assert.equal(sql`select 1 where ${allOf([part`id = ${1}`])}`.name, undefined);
  assert.equal(sql`select 1 where id = ${1}${PLANNED_EACH_TIME}`.name, undefined);
  assert.equal(sql`select 1 where id = ${1}${PLANNED_EACH_TIME}`.text, 'select 1 where id = $1');
});
