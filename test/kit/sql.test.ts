import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOf, amongKeys, BY_KEY, clause, fixed, ONE_PLAN, PLANNED_EACH_TIME, part, sql } from '../../src/kit/sql.ts';

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

test('rows by their keys: a single key has a statement of its own, any number of others share one, and both are prepared', () => {
  const keys = (...ids: string[]) => sql`select 1 where ${amongKeys(ids.map((id) => ({ team_id: 7n, id })))}`;
  const single = keys('a');
  assert.deepEqual([single.text, single.values], ['select 1 where team_id = $1 and id = $2', [7n, 'a']]);
  assert.ok(single.name);
  assert.equal(keys('b').name, single.name);
  const [none, two] = [keys(), keys('a', 'b')];
  assert.deepEqual(
    [none.values, two.values],
    [
      [[], []],
      [
        [7n, 7n],
        ['a', 'b'],
      ],
    ],
  );
  assert.ok(two.name);
  assert.equal(none.name, two.name);
});

test('clauses with values are prepared, unless a part with values is beside or inside them', () => {
  const both = (more = clause`b = ${2}`) => sql`select 1 where ${allOf([clause`a = ${1}`, more])}`;
  assert.deepEqual([both().text, both().values], ['select 1 where a = $1 and b = $2', [1, 2]]);
  assert.ok(both().name);
  assert.equal(both().name, both().name);
  assert.notEqual(both().name, both(clause`c = ${2}`).name);
  assert.equal(both(part`b = ${2}`).name, undefined);
  assert.equal(both(clause`not ${part`b = ${2}`}`).name, undefined);
});

test('a statement is planned once for all values only when it says so, and is never both', () => {
  assert.equal(sql`select ${1}`.one_plan, undefined);
  assert.deepEqual([sql`select ${1}${ONE_PLAN}`.one_plan, sql`select ${1}${ONE_PLAN}`.text], [true, 'select $1']);
  assert.equal(sql`select ${1}${ONE_PLAN}${PLANNED_EACH_TIME}`.one_plan, undefined);
});

test('a statement reaches its rows by keys only when it says so', () => {
  assert.equal(sql`select ${1}`.by_key, undefined);
  assert.deepEqual([sql`select ${1}${BY_KEY}`.by_key, sql`select ${1}${BY_KEY}`.text], [true, 'select $1']);
});

test('one place in the source with other fragments and other values, again and again', () => {
  const [one, two] = [fixed('one'), fixed('two')];
  const at = (where: ReturnType<typeof fixed>, n: number, more: ReturnType<typeof fixed>) =>
    sql`select ${n} from ${where} where n = ${n + 1} ${more}`;
  const plain = fixed('');
  const withValue = clause`and m = ${9}`;
  for (let round = 0; round < 3; round++) {
    for (const [where, name] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      const usual = at(where, round, plain);
      assert.deepEqual([usual.text, usual.values], [`select $1 from ${name} where n = $2 `, [round, round + 1]]);
      const more = at(where, round, withValue);
      assert.deepEqual([more.text, more.values], [`select $1 from ${name} where n = $2 and m = $3`, [round, round + 1, 9]]);
      assert.notEqual(usual.name, more.name);
      assert.equal(at(where, 5, plain).name, usual.name);
      assert.equal(at(where, 5, BY_KEY).by_key, true);
      assert.equal(at(where, 5, PLANNED_EACH_TIME).name, undefined);
    }
  }
});
