import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DbClient } from '../client.ts';
import { isLocked } from '../lock-tries.ts';
import { nameIn } from '../partitioned-indexes.ts';
import { type Conversion, reach } from './progress.ts';
import type { Shape } from './shape.ts';
import { deletionLock, namesOf, targetOf } from './target.ts';

/** Minimum number of rows of a batch. A batch that finds locked rows is repeated with fewer. */
const MIN_BATCH_ROWS = 20;
/**
 * Longest wait of copying for a transaction of the service. It is below `deadlock_timeout` (1 s): when copying and a transaction wait
 * for each other, copying gives way before PostgreSQL looks for a deadlock.
 */
export const COPY_LOCK_TIMEOUT_MS = 100;
const PAUSE_MS = 50;
/** Copying that is blocked for this long fails, so that an operator finds the session that blocks it. */
const MAX_BUSY_MS = 600_000;

/** A difference between a table and its copy. */
export class CopyDiffers extends Error {}

/** A step over all rows of a table. */
export interface OverRows {
  client: DbClient;
  shape: Shape;
  from: Conversion;
  batch_rows: number;
  copy_lock_timeout_ms: number;
  /** Receives how many rows are done. */
  done(rows: number): void;
}

/** Copies the rows after those that are copied already, in the order of the primary key. */
export async function copyRows(over: OverRows): Promise<void> {
  const { client, from, batch_rows, done } = over;
  let { reached, row_count } = from;
  let size = batch_rows;
  let busy_since: number | undefined;
  for (;;) {
    try {
      const batch = await copyBatch(over, reached, size);
      row_count += batch.rows;
      done(row_count);
      if (batch.last === null) return;
      [reached, size, busy_since] = [batch.last, Math.min(size * 2, batch_rows), undefined];
    } catch (error) {
      await client.query('rollback');
      if (!isLocked(error)) throw error;
      busy_since ??= performance.now();
      if (performance.now() - busy_since > MAX_BUSY_MS) throw error;
      size = Math.max(Math.floor(size / 2), Math.min(MIN_BATCH_ROWS, batch_rows));
      await sleep(PAUSE_MS);
    }
  }
}

interface Batch {
  /** Key of its last row; null: it reaches to the end of the table. */
  last: string[] | null;
  rows: number;
}

/**
 * Copies one batch. Rows that are already in the copy are skipped: they come from a change that is newer than the row read here, or
 * equal to it. {@link compareRows} would find a row that is missing for another reason.
 */
async function copyBatch(
  { client, shape, from: { parent }, copy_lock_timeout_ms }: OverRows,
  reached: string[] | null,
  size: number,
): Promise<Batch> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${copy_lock_timeout_ms}`);
  // Locked before the copying statement takes its snapshot, so that it does not copy rows of a deletion that has just ended.
  await client.query(`select pg_advisory_xact_lock(${deletionLock(parent)})`);
  const last = await endOf(client, shape, parent, reached, size);
  const columns = namesOf(shape.columns);
  const { rowCount } = await client.query(
    `insert into ${targetOf(parent)} (${columns})
     select ${columns} from ${nameIn('public', parent)} where ${between(shape, reached, last)}
     on conflict do nothing`,
  );
  const rows = last === null ? (rowCount ?? 0) : size;
  if (last !== null) await reach(client, parent, last, rows);
  await client.query('commit');
  return { last, rows };
}

/**
 * Compares the table with its copy, row by row as text. The rows of each range are read in one snapshot, because both are equal in
 * every snapshot.
 * @throws CopyDiffers
 */
export async function compareRows({ client, shape, from, batch_rows, done }: OverRows): Promise<void> {
  const { parent } = from;
  let { reached, row_count } = from;
  for (;;) {
    const last = await endOf(client, shape, parent, reached, batch_rows);
    const sum = (table: string) =>
      `(select row(count(*), coalesce(sum(hashtextextended(r::text, 0)::numeric), 0), coalesce(sum(hashtextextended(r::text, 1)::numeric), 0))
        from (select ${namesOf(shape.columns)} from ${table} where ${between(shape, reached, last)}) r)`;
    const { rows } = await client.query<{ same: boolean }>(
      `select ${sum(nameIn('public', parent))} is not distinct from ${sum(targetOf(parent))} as same`,
    );
    if (!rows[0]?.same) throw new CopyDiffers(`the copy of ${parent} differs from it after ${JSON.stringify(reached)}`);
    if (last === null) return;
    row_count += batch_rows;
    await reach(client, parent, last, batch_rows);
    reached = last;
    done(row_count);
  }
}

/** Returns the key of the row `size` rows after `reached`; null when there are fewer. */
async function endOf(
  client: DbClient,
  shape: Shape,
  table: string,
  reached: string[] | null,
  size: number,
): Promise<string[] | null> {
  const keys = shape.key.map(({ name }) => pg.escapeIdentifier(name));
  const { rows } = await client.query<{ last: string[] }>(
    `select array[${keys.map((key) => `${key}::text`).join(', ')}] as last from ${nameIn('public', table)}
     where ${between(shape, reached, null)} order by ${keys.join(', ')} offset ${size - 1} limit 1`,
  );
  return rows[0]?.last ?? null;
}

/** Returns the condition on rows after one key up to another. */
function between({ key }: Shape, after: string[] | null, last: string[] | null): string {
  const columns = namesOf(key.map(({ name }) => name));
  const values = (texts: string[]) => texts.map((text, i) => `${pg.escapeLiteral(text)}::${key[i]?.type}`).join(', ');
  return [
    'true',
    ...(after ? [`(${columns}) > (${values(after)})`] : []),
    ...(last ? [`(${columns}) <= (${values(last)})`] : []),
  ].join(' and ');
}
