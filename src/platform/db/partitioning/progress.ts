import { ConfigError } from '../../../kit/config-error.ts';
import type { DbClient } from '../client.ts';
import type { KeptTable } from './tables.ts';

/** Steps of a conversion, in this order. */
export type Step = 'copy' | 'index' | 'compare' | 'switch';

/** The steps in words. */
export const STEP_TEXTS: Readonly<Record<Step, string>> = {
  copy: 'copying rows',
  index: 'building indexes',
  compare: 'comparing the copy',
  switch: 'switching the tables',
};

/** A table that is being partitioned. */
export interface Conversion {
  parent: KeptTable;
  partitions: number;
  step: Step;
  /** Primary key of the last row that the step has done, as texts. Null: none yet. */
  reached: string[] | null;
  /** Rows that the step has done. */
  row_count: number;
}

const FIELDS = 'parent, partitions, step, reached, row_count::float8 as row_count';

/** Returns the tables of a store that are being partitioned; none before its migration 0121, and in the control database. */
export async function conversionsOf(client: DbClient): Promise<Conversion[]> {
  const { rows: tables } = await client.query(`select 1 where to_regclass('pirogue_partitions.conversions') is not null`);
  if (tables.length === 0) return [];
  return (await client.query<Conversion>(`select ${FIELDS} from pirogue_partitions.conversions order by parent`)).rows;
}

/**
 * Checks that no table is being partitioned. A migration would change the table and not its copy.
 * @throws ConfigError that names the tables
 */
export async function requireNoConversion(client: DbClient): Promise<void> {
  const names = (await conversionsOf(client)).map(({ parent }) => parent);
  if (names.length === 0) return;
  throw new ConfigError(
    `partitioning of ${names.join(', ')} has begun and is not finished: run "pirogue partition ${names.join(' ')}" (or the same with --abandon) of the release that began it, then migrate`,
  );
}

/** Records the next step of a conversion. */
export async function enter(client: DbClient, parent: KeptTable, step: Step): Promise<void> {
  await client.query('update pirogue_partitions.conversions set step = $2, reached = null, row_count = 0 where parent = $1', [
    parent,
    step,
  ]);
}

/** Records how far a step is. */
export async function reach(client: DbClient, parent: KeptTable, reached: string[], rows: number): Promise<void> {
  await client.query('update pirogue_partitions.conversions set reached = $2, row_count = row_count + $3 where parent = $1', [
    parent,
    reached,
    rows,
  ]);
}
