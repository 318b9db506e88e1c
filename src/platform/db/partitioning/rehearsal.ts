import { pgCode } from '../../../kit/sql.ts';
import type { DbClient } from '../client.ts';
import { isLocked } from '../lock-tries.ts';
import { dressTarget } from './dress.ts';
import { differencesOf, shapeOf } from './shape.ts';
import { buildIndex, buildTarget } from './target.ts';
import type { KeptTable } from './tables.ts';

/** What would prevent the switch of a table. */
export interface Rehearsed {
  /** What PostgreSQL rejects. Then the tables are not compared. */
  impossible: string[];
  /** Properties in which the copy would differ from the original. */
  differences: string[];
}

/** Longest wait for a session that is creating a table of the same name. */
const LOCK_TIMEOUT_MS = 3_000;
/** SQLSTATEs of what PostgreSQL does not support or allow. */
const IMPOSSIBLE = /^(0A...|25006|42...|55000)$/;
const UNIQUE_VIOLATION = '23505';

/**
 * Makes an empty partitioned copy of a table, with a single partition, and compares the two as the switch does after copying. The
 * transaction is rolled back. No statement of the service waits for it.
 * @param partitions number of partitions that the table would have
 */
export async function rehearse(client: DbClient, table: KeptTable, partitions: number): Promise<Rehearsed> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('set local jit = off');
    const impossible = await build(client, table, partitions);
    return { impossible, differences: impossible.length > 0 ? [] : await differencesOf(client, table) };
  } finally {
    await client.query('rollback');
  }
}

async function build(client: DbClient, table: KeptTable, partitions: number): Promise<string[]> {
  try {
    const shape = await shapeOf(client, table);
    // The partition with the longest name: this also finds index names that PostgreSQL would shorten to the same name.
    await buildTarget(client, table, shape, [partitions - 1]);
    for (const index of shape.indexes.filter(({ unique }) => !unique)) await buildIndex(client, table, index);
    await dressTarget(client, table);
    return [];
  } catch (error) {
    // A unique violation of the catalogue: another session has just created the copy.
    if (isLocked(error) || pgCode(error) === UNIQUE_VIOLATION) return ['another session is changing it just now: try again'];
    if (!IMPOSSIBLE.test(pgCode(error) ?? '')) throw error;
    const { message, detail } = error as Error & { detail?: string };
    return [`PostgreSQL rejects a partitioned copy: ${[message, detail].filter(Boolean).join(' ')}`];
  }
}
