import pg from 'pg';
import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { describeTable, type Shape, shapeOf } from './shape.ts';
import { COPIER, copierName, targetOf } from './target.ts';
import type { KeptTable } from './tables.ts';

/** The partitioned table would not be what the original is. */
export class ShapeDiffers extends Error {}

/**
 * Puts the partitioned table in the place of the original, which is dropped. Changes of the catalogue only: statements of the service wait
 * for milliseconds, and then find a table of the same name and shape.
 * @throws ShapeDiffers, and leaves everything as it was, when a column, index, trigger, policy, right or comment would not be the same
 */
export async function switchTables(client: DbClient, table: KeptTable, lock_timeout_ms: number): Promise<void> {
  const original = nameIn('public', table);
  await client.query('begin');
  await client.query(`set local lock_timeout = ${lock_timeout_ms}`);
  await client.query(`lock table ${original} in access exclusive mode`);
  await client.query(`drop trigger ${COPIER} on ${original}`);
  await client.query(`drop function ${copierName(table)}()`);
  const [shape, before] = [await shapeOf(client, table), await describeTable(client, table)];
  const identities = await identitiesOf(client, shape);
  await client.query(`drop table ${original}`);
  await client.query(`alter table ${targetOf(table)} set schema public`);
  for (const statement of [...identities.map((identity) => identityOf(table, identity)), ...shape.triggers, ...shape.grants]) {
    await client.query(statement);
  }
  const after = await describeTable(client, table);
  const differing = [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))];
  if (differing.length > 0) throw new ShapeDiffers(`the partitioned ${table} would differ: ${differing.join('; ')}`);
  await client.query('delete from pirogue_partitions.conversions where parent = $1', [table]);
  await client.query('commit');
}

interface Identity {
  column: string;
  sequence: string;
  /** The first number that has not been given out. */
  next: string;
}

/** Nobody takes a number meanwhile: whoever inserts holds a lock on the table from before. */
async function identitiesOf(client: DbClient, { identity }: Shape): Promise<Identity[]> {
  const found: Identity[] = [];
  for (const { column, sequence } of identity) {
    const { rows } = await client.query<{ next: string }>(
      `select (case when is_called then last_value + 1 else last_value end)::text as next from ${sequence}`,
    );
    found.push({ column, sequence, next: rows[0]?.next ?? '1' });
  }
  return found;
}

function identityOf(table: KeptTable, { column, sequence, next }: Identity): string {
  return `alter table ${nameIn('public', table)} alter column ${pg.escapeIdentifier(column)}
    add generated always as identity (sequence name ${sequence} start with ${next})`;
}
