import { pgCode } from '../../../kit/sql.ts';
import type { DbClient } from '../client.ts';
import { type LockTries, triedAgain } from '../lock-tries.ts';
import { askOf, nameIn, partitionedBuild } from '../partitioned-indexes.ts';
import { CannotPartition, requirePossible } from './possible.ts';
import { type Conversion, conversionsOf, enter, type Step } from './progress.ts';
import { COPY_LOCK_TIMEOUT_MS, compareRows, copyRows, type OverRows } from './rows.ts';
import { shapeOf, useTablespace } from './shape.ts';
import { switchTables } from './switch.ts';
import { abandonTarget, makeTarget, targetOf } from './target.ts';
import { DEFAULT_PARTITIONS, type KeptTable, PARTITIONS_SCHEMA } from './tables.ts';
import { announce } from './turn.ts';

/** Longest wait of an index build for older transactions. No statement of the service waits behind it. */
const BUILD_LOCK_TIMEOUT_MS = 1_800_000;

/** Rows of one transaction of copying. A writer of one of these rows waits for its end. */
const BATCH_ROWS = 2_000;
/** Number of batches that one statement compares. Comparing blocks no other statement. */
const COMPARED_AT_ONCE = 10;

/** SQLSTATEs of a row that breaks a constraint: not null, check. */
const BROKEN = ['23502', '23514'];

const BARRIER = nameIn(PARTITIONS_SCHEMA, 'conversions_barrier');

export interface ConvertOptions extends LockTries {
  /** Number of partitions. Absent: the default, or that of a conversion which has begun. */
  partitions?: number | undefined;
  /** Rows of one transaction of copying. */
  batch_rows?: number;
  /** Longest wait of copying for a transaction of the service. */
  copy_lock_timeout_ms?: number;
  /** Receives each step and how many of its rows are done. */
  progress?: (step: Step, rows: number) => void;
}

/**
 * Converts a table into one that is partitioned by a hash of `team_id`, while the service is running. It may be interrupted at any
 * moment: the next call continues. Until the last step, the original has all rows.
 * @returns whether it was partitioned already
 * @throws CannotPartition, OtherPartitions
 */
export async function convert(
  client: DbClient,
  url: string,
  table: KeptTable,
  options: ConvertOptions,
): Promise<{ before: boolean }> {
  const [todo] = await requirePossible(client, [table], options.partitions);
  if (!todo) return { before: true };
  const { progress = () => {}, batch_rows = BATCH_ROWS, copy_lock_timeout_ms = COPY_LOCK_TIMEOUT_MS } = options;
  const sizes = { batch_rows, copy_lock_timeout_ms };
  const briefly = <Result>(work: (lock_timeout_ms: number) => Promise<Result>) =>
    triedAgain(client, url, 'conversion', options, async (lock_timeout_ms) => {
      await client.query(`set lock_timeout = ${lock_timeout_ms}`);
      return work(lock_timeout_ms);
    });
  await announce(client, table);
  if (!(await conversionOf(client, table))) {
    await validateChecks(client, table, briefly);
    await briefly(() => makeTarget(client, table, options.partitions ?? DEFAULT_PARTITIONS));
  }
  for (let at = await conversionOf(client, table); at; at = await conversionOf(client, table)) {
    const { step } = at;
    progress(step, at.row_count);
    await STEPS[step]({
      ...sizes,
      client,
      shape: await shapeOf(client, table),
      from: at,
      briefly,
      done: (rows) => progress(step, rows),
    });
  }
  await client.query(`analyze ${nameIn('public', table)}`);
  return { before: false };
}

async function conversionOf(client: DbClient, table: KeptTable): Promise<Conversion | undefined> {
  return (await conversionsOf(client)).find(({ parent }) => parent === table);
}

/** Gives up a conversion that is not finished. */
export function abandon(client: DbClient, url: string, table: KeptTable, tries: LockTries): Promise<void> {
  return triedAgain(client, url, 'conversion', tries, async (lock_timeout_ms) => {
    await client.query(`set lock_timeout = ${lock_timeout_ms}`);
    await abandonTarget(client, table);
  });
}

interface Working extends OverRows {
  briefly<Result>(work: (lock_timeout_ms: number) => Promise<Result>): Promise<Result>;
}

/** Each step ends by recording the next one; it may be interrupted and repeated. */
const STEPS: Readonly<Record<Step, (working: Working) => Promise<void>>> = {
  copy: async (working) => {
    await copyRows(working);
    await outliveSnapshots(working);
    await enter(working.client, working.from.parent, 'index');
  },
  index: async (working) => {
    await buildIndexes(working);
    await enter(working.client, working.from.parent, 'compare');
  },
  compare: async (working) => {
    const { client, from, batch_rows } = working;
    await client.query(`analyze ${targetOf(from.parent)}`);
    await compareRows({ ...working, batch_rows: batch_rows * COMPARED_AT_ONCE });
    await enter(client, from.parent, 'switch');
  },
  switch: ({ client, from, briefly }) => briefly((lock_timeout_ms) => switchTables(client, from.parent, lock_timeout_ms)),
};

/**
 * Waits until no transaction has a snapshot from before the end of copying. Such a transaction would miss copied rows after the tables
 * are switched. A concurrent index build waits for exactly these transactions, even if the login may not see other sessions.
 */
async function outliveSnapshots({ client, briefly }: Working): Promise<void> {
  await briefly(async () => {
    await client.query(`drop index if exists ${BARRIER}`);
    await client.query(`create index concurrently conversions_barrier on ${nameIn(PARTITIONS_SCHEMA, 'conversions')} (step)`);
    await client.query(`drop index ${BARRIER}`);
  });
}

/** Builds the indexes that are not keys. It runs after copying, which is faster without them. */
async function buildIndexes({ client, shape, from, briefly, done }: Working): Promise<void> {
  for (const index of shape.indexes.filter(({ unique }) => !unique)) {
    await useTablespace(client, index.tablespace);
    const build = { ...index, schema: PARTITIONS_SCHEMA, table: from.parent, concurrent: true };
    for (const { text, brief } of await partitionedBuild(askOf(client), build)) {
      done(0);
      if (brief) await briefly(() => client.query(text));
      else {
        await client.query(`set lock_timeout = ${BUILD_LOCK_TIMEOUT_MS}`);
        await client.query(text);
      }
    }
  }
}

/**
 * Validates the constraints that were added for new rows only: the partitioned table has them for all rows.
 * @throws CannotPartition when a row breaks one
 */
async function validateChecks(client: DbClient, table: KeptTable, briefly: Working['briefly']): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(conname) as name from pg_constraint where conrelid = to_regclass($1) and contype in ('c', 'n') and not convalidated`,
    [nameIn('public', table)],
  );
  for (const { name } of rows) {
    await briefly(() => client.query(`alter table ${nameIn('public', table)} validate constraint ${name}`)).catch((error) => {
      if (!BROKEN.includes(pgCode(error) ?? '')) throw error;
      throw new CannotPartition(`${table} cannot be partitioned: ${(error as Error).message}`, { cause: error });
    });
  }
}
