import type { Command } from 'commander';
import type { Environment } from '../../../kit/environment.ts';
import { readConfig } from '../../../platform/config/config.ts';
import type { DbClient } from '../../../platform/db/client.ts';
import { connectClient } from '../../../platform/db/client.ts';
import { TableBlocked } from '../../../platform/db/lock-tries.ts';
import { abandon, CannotPartition, convert, inTurn } from '../../../platform/db/partitioning/convert.ts';
import { conversionsOf, type Step } from '../../../platform/db/partitioning/progress.ts';
import { CopyDiffers } from '../../../platform/db/partitioning/rows.ts';
import { survey, type TableReport } from '../../../platform/db/partitioning/survey.ts';
import { ShapeDiffers } from '../../../platform/db/partitioning/switch.ts';
import { KEPT_FOR_EVER, type KeptTable } from '../../../platform/db/partitioning/tables.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { countText } from '../format.ts';
import { requireMigrations } from '../migrations.ts';
import { details, print, table as tableText } from '../output.ts';
import { type Progress, withProgress } from '../progress.ts';

interface Options {
  environment: Environment;
  partitions: number;
  check?: true;
  abandon?: true;
  json?: true;
}

/** What became of a table. */
interface Outcome {
  table: KeptTable;
  result: 'partitioned' | 'partitioned before' | 'abandoned' | 'nothing to abandon';
}

export async function partitionCommand(names: string[], options: Options, command: Command): Promise<void> {
  const tables = KEPT_FOR_EVER.filter((table) => names.includes(table));
  const unknown = names.filter((name) => !tables.some((table) => table === name));
  if (unknown.length > 0) command.error(`error: ${unknown.join(', ')} cannot be partitioned: give ${KEPT_FOR_EVER.join(', ')}`);
  if (options.check) return checkCommand(tables.length > 0 ? tables : KEPT_FOR_EVER, options);
  if (tables.length === 0) command.error('error: give the tables to partition, or --check');
  const outcomes = await withProgress(options.json === true, (progress) => changeTables(tables, options, progress));
  print(options.json, { environment: options.environment, tables: outcomes }, () =>
    details(Object.fromEntries(outcomes.map(({ table, result }) => [table, result]))),
  );
}

function changeTables(tables: readonly KeptTable[], options: Options, progress: Progress): Promise<Outcome[]> {
  const report = (_: unknown, message: string) => console.error(message);
  return onStore(options.environment, (url) =>
    inTurn(url, { report }, async (client) => {
      const outcomes: Outcome[] = [];
      for (const table of tables) {
        if (options.abandon) outcomes.push({ table, result: await abandoned(client, url, table) });
        else {
          const show = (step: Step, rows: number) =>
            progress.update(`${table}: ${STEP_TEXTS[step]}`, () => `${countText(rows)} rows`);
          const { before } = await convert(client, url, table, { ...options, report, progress: show });
          outcomes.push({ table, result: before ? 'partitioned before' : 'partitioned' });
        }
      }
      return outcomes;
    }),
  );
}

const STEP_TEXTS: Readonly<Record<Step, string>> = {
  copy: 'copying rows',
  index: 'building indexes',
  compare: 'comparing the copy',
  switch: 'switching the tables',
};

async function abandoned(client: DbClient, url: string, table: KeptTable): Promise<Outcome['result']> {
  const found = (await conversionsOf(client)).some(({ parent }) => parent === table);
  if (!found) return 'nothing to abandon';
  await abandon(client, url, table, {});
  return 'abandoned';
}

async function checkCommand(tables: readonly KeptTable[], { environment, partitions, json }: Options): Promise<void> {
  const reports = await onStore(environment, async (url) => {
    const client = await connectClient(url);
    try {
      return await survey(client, tables, partitions);
    } finally {
      await client.end();
    }
  });
  print(json, { environment, tables: reports }, () =>
    [tableText(HEADINGS, reports.map(lineOf)), ...reports.flatMap(notesOf)].join('\n'),
  );
}

const HEADINGS = [
  'table',
  { title: 'rows', align: 'right' },
  { title: 'gigabytes', align: 'right' },
  { title: 'largest team', align: 'right' },
  'state',
] as const;

const GIGABYTE = 1_000_000_000;

function lineOf({ table, rows, bytes, partitions, largest_team, unfinished, obstacles }: TableReport): string[] {
  const share = largest_team === null ? 'unknown' : `${Math.round(largest_team * 100)} %`;
  const ready = obstacles.length > 0 ? 'cannot be partitioned' : 'one table';
  const whole = unfinished ? `unfinished: ${STEP_TEXTS[unfinished.step]}, ${countText(unfinished.row_count)} rows` : ready;
  const state = partitions > 0 ? `${partitions} partitions` : whole;
  return [table, countText(rows), (bytes / GIGABYTE).toFixed(1), share, state];
}

function notesOf({ table, obstacles }: TableReport): string[] {
  return obstacles.map((obstacle) => `${table}: ${obstacle}`);
}

async function onStore<Result>(environment: Environment, work: (url: string) => Promise<Result>): Promise<Result> {
  try {
    return await withDatabases(readConfig(process.env), async (urls) => {
      await withPool(urls[environment], (db) => requireMigrations(db, environment));
      return work(urls[environment]);
    });
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof TableBlocked)
    return new Failure(error.message, 'Nothing is lost: the next run continues.', { cause: error });
  if (error instanceof CannotPartition)
    return new Failure(error.message, 'Remove what is in the way, then try again.', { cause: error });
  if (error instanceof CopyDiffers || error instanceof ShapeDiffers) {
    return new Failure(error.message, 'The table is as it was. Run the same with --abandon, then report this.', { cause: error });
  }
  return error;
}
