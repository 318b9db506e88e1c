import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { cloneDatabases, type Databases } from '../setup/databases.ts';

/**
 * Expressions of indexes that row-level security cannot use, because a function or an operator of them is not leakproof
 * (docs/decisions/0029-row-level-security.md), with what they are for.
 */
const NOT_LEAKPROOF: Record<string, string> = {
  ...Object.fromEntries(
    [
      'attempts_shard_poll',
      'payments_shard_continue',
      'refunds_shard_poll',
      'returns_shard_due',
      'transfers_shard_poll',
      'audit_entries_group',
      'journals_group',
    ].map((name) => [name, 'workers read all teams, in the order of the index (decision 0079)']),
  ),
};

let databases: Databases;
let owner: DbPool;
before(async () => {
  databases = await cloneDatabases();
  owner = openPool({ url: databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
});
after(async () => {
  await owner.close();
  await databases.drop();
});

test('no index of a table with row-level security is on an expression that the policy keeps from being used', async () => {
  const expressions = await owner.all<{ name: string; text: string }>(sql`
    select x.indexrelid::regclass::text as name, pg_get_expr(x.indexprs, x.indrelid) as text
    from pg_index x join pg_class c on c.oid = x.indrelid
    where x.indexprs is not null and c.relrowsecurity and not c.relispartition and c.relnamespace = 'public'::regnamespace`);
  const functions = new Set(
    (
      await owner.all<{ name: string }>(sql`select proname as name from pg_proc group by proname having bool_and(proleakproof)`)
    ).map(({ name }) => name),
  );
  const isSafe = (text: string) => {
    const called = [...text.matchAll(/"?(\w+)"?\(/g)].map(([, name]) => name as string);
    const rest = text.replaceAll(/'(?:[^']|'')*'(?:::[\w ]+)?/g, '').replaceAll(/[\w"(),:\s.]/g, '');
    return called.every((name) => functions.has(name)) && rest === '';
  };
  assert.ok(expressions.length > 0);
  const found = expressions.filter(({ text }) => !isSafe(text)).map(({ name }) => name);
  assert.deepEqual(found.sort(), Object.keys(NOT_LEAKPROOF).sort());
});
