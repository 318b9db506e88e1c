import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseUrls } from '../../../platform/config/config.ts';
import { open, SealError, type SealingKey, type SealingKeys, seal, sealedBy } from '../../../kit/sealing.ts';
import type { Db, Queryable, Tx } from '../../../kit/sql.ts';
import { countByKey, lockOthers, placeOf, SEALED_COLUMNS, type SealedColumn, type SealedValue, writeSealed } from './store.ts';

export type Databases = Record<keyof DatabaseUrls, Db>;

/** Rows locked at once. Encrypting them takes a few milliseconds. */
const BATCH = 200;
/** Passes, for rows that were locked in an earlier one. */
const PASSES = 10;
const BETWEEN_PASSES_MS = 300;
const UNOPENED_NAMED = 20;

/** A value that no configured key decrypts: it is damaged, moved, or its key is missing. */
export interface Unopened {
  database: keyof DatabaseUrls;
  table: string;
  id: string;
  reason: string;
}

export interface Resealed {
  /** Number of values encrypted again. */
  values: number;
  /** Number of values that cannot be decrypted, and the first of them. */
  unopened_count: number;
  unopened: Unopened[];
  /** Number of values that the current key has not encrypted, including those that cannot be decrypted. */
  left: number;
}

type Report = (database: keyof DatabaseUrls, table: string, values: number) => void;

/** Returns each encrypted column with each of its databases. */
function places(): [keyof DatabaseUrls, SealedColumn][] {
  return SEALED_COLUMNS.flatMap((column) =>
    column.databases.map((database) => [database, column] as [typeof database, typeof column]),
  );
}

/**
 * Encrypts every value of another key again with the current key, in batches. Each batch is a transaction and leaves values
 * that can be decrypted, so the run can be interrupted at any time and repeated.
 */
export async function resealAll(databases: Databases, keys: SealingKeys, report: Report): Promise<Resealed> {
  const total: Resealed = { values: 0, unopened_count: 0, unopened: [], left: 0 };
  for (let pass = 1; ; pass++) {
    total.unopened = [];
    total.unopened_count = 0;
    for (const [database, column] of places()) {
      const done = await resealColumn(databases[database], column, keys, (values) => report(database, column.table, values));
      total.values += done.values;
      total.unopened_count += done.unopened_count;
      total.unopened.push(...done.unopened.map((value) => ({ database, table: column.table, ...value })));
    }
    total.left = await countLeft(databases, keys.current());
    total.unopened.splice(UNOPENED_NAMED);
    if (total.left <= total.unopened_count || pass === PASSES) return total;
    await sleep(BETWEEN_PASSES_MS);
  }
}

/** Counts the values of each key. */
export async function countValues(databases: Record<keyof DatabaseUrls, Queryable>): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const [database, column] of places()) {
    for (const { key, values } of await countByKey(databases[database], column)) {
      counts.set(key, (counts.get(key) ?? 0) + Number(values));
    }
  }
  return counts;
}

async function countLeft(databases: Databases, current: SealingKey): Promise<number> {
  const counts = await countValues(databases);
  return [...counts].reduce((sum, [key, values]) => (key === current.id ? sum : sum + values), 0);
}

interface Batch {
  values: number;
  unopened: { id: string; reason: string }[];
  last: SealedValue | undefined;
}

async function resealColumn(db: Db, column: SealedColumn, keys: SealingKeys, report: (values: number) => void) {
  const done = { values: 0, unopened_count: 0, unopened: [] as Batch['unopened'] };
  let after: SealedValue | null = null;
  for (;;) {
    const batch: Batch = await db.transaction((tx) => resealBatch(tx, column, keys, after));
    if (!batch.last) return done;
    done.values += batch.values;
    done.unopened_count += batch.unopened.length;
    done.unopened.push(...batch.unopened.slice(0, UNOPENED_NAMED - done.unopened.length));
    after = batch.last;
    report(done.values);
  }
}

async function resealBatch(tx: Tx, column: SealedColumn, keys: SealingKeys, after: SealedValue | null): Promise<Batch> {
  // Read for each batch: a concurrent run may have created a newer key.
  const current = keys.current();
  const rows = await lockOthers(tx, column, sealedBy(current), after, BATCH);
  const unopened: Batch['unopened'] = [];
  const fresh = rows.flatMap((row) => {
    try {
      const place = placeOf(column, row);
      return [{ ...row, sealed: seal(current, open(keys, row.sealed, place), place) }];
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      unopened.push({ id: row.id, reason: error.message });
      return [];
    }
  });
  const values = fresh.length === 0 ? 0 : await writeSealed(tx, column, fresh);
  return { values, unopened, last: rows.at(-1) };
}
