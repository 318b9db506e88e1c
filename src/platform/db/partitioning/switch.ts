import type { DbClient } from '../client.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { dressTarget } from './dress.ts';
import { differencesOf } from './shape.ts';
import { COPIER, copierName, targetOf } from './target.ts';
import type { KeptTable } from './tables.ts';

/** The partitioned table differs from the original. */
export class ShapeDiffers extends Error {}

/**
 * Puts the partitioned table in the place of the original, which is dropped. Only the catalogue changes: statements of the service wait
 * for milliseconds and then find a table of the same name and shape.
 * @throws ShapeDiffers when a column, index, trigger, policy, right or comment would differ; nothing is changed then
 */
export async function switchTables(client: DbClient, table: KeptTable, lock_timeout_ms: number): Promise<void> {
  const original = nameIn('public', table);
  await client.query('begin');
  await client.query(`set local lock_timeout = ${lock_timeout_ms}`);
  await client.query(`lock table ${original} in access exclusive mode`);
  await client.query(`drop trigger ${COPIER} on ${original}`);
  await client.query(`drop function ${copierName(table)}()`);
  await dressTarget(client, table);
  const differences = await differencesOf(client, table);
  if (differences.length > 0) throw new ShapeDiffers(`the partitioned ${table} would differ: ${differences.join('; ')}`);
  await client.query(`drop table ${original}`);
  await client.query(`alter table ${targetOf(table)} set schema public`);
  await client.query('delete from pirogue_partitions.conversions where parent = $1', [table]);
  await client.query('commit');
}
