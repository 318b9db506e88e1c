import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseUrls } from '../../config.ts';
import { open, SealError, type SealingKey, type SealingKeys, seal, sealedBy } from '../../kit/sealing.ts';
import type { Db, Queryable, Tx } from '../../kit/sql.ts';
import { countByKey, lockOthers, placeOf, SEALED_COLUMNS, type SealedColumn, type SealedValue, writeSealed } from './store.ts';

export type Databases = Record<keyof DatabaseUrls, Db>;

/** Rows locked at once: sealing them takes a few milliseconds. */
const BATCH = 200;
/** For rows that somebody was just changing. */
const PASSES = 10;
const BETWEEN_PASSES_MS = 300;
const UNOPENED_NAMED = 20;

/** A value that no key we have opens: damaged, moved, or sealed under a key that is gone. */
export interface Unopened {
  database: keyof DatabaseUrls;
  table: string;
  id: string;
  reason: string;
}

export interface Resealed {
  /** Values sealed again. */
  values: number;
  /** How many do not open, and the first of them. */
  unopened_count: number;
  unopened: Unopened[];
  /** Values that the present key has not sealed, with those that do not open. */
  left: number;
}

type Tell = (database: keyof DatabaseUrls, table: string, values: number) => void;

/** Where sealed values stand: each column in each of its databases. */
function places(): [keyof DatabaseUrls, SealedColumn][] {
  return SEALED_COLUMNS.flatMap((column) =>
    column.databases.map((database) => [database, column] as [typeof database, typeof column]),
  );
}

/**
 * Seals everything again that another than the present key has sealed, some rows at a time. Every batch is a transaction of
 * its own and leaves values that open, so that it can be ended at any moment and run again.
 */
export async function resealAll(databases: Databases, keys: SealingKeys, tell: Tell): Promise<Resealed> {
  const total: Resealed = { values: 0, unopened_count: 0, unopened: [], left: 0 };
  for (let pass = 1; ; pass++) {
    total.unopened = [];
    total.unopened_count = 0;
    for (const [database, column] of places()) {
      const done = await resealColumn(databases[database], column, keys, (values) => tell(database, column.table, values));
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

/** How many values each key has sealed. */
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

async function resealColumn(db: Db, column: SealedColumn, keys: SealingKeys, tell: (values: number) => void) {
  const done = { values: 0, unopened_count: 0, unopened: [] as Batch['unopened'] };
  let after: SealedValue | null = null;
  for (;;) {
    const batch: Batch = await db.transaction((tx) => resealBatch(tx, column, keys, after));
    if (!batch.last) return done;
    done.values += batch.values;
    done.unopened_count += batch.unopened.length;
    done.unopened.push(...batch.unopened.slice(0, UNOPENED_NAMED - done.unopened.length));
    after = batch.last;
    tell(done.values);
  }
}

async function resealBatch(tx: Tx, column: SealedColumn, keys: SealingKeys, after: SealedValue | null): Promise<Batch> {
  // Asked for each time: where another run has just made a newer one, that is it.
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
