import type { Command } from 'commander';
import type { Environment } from '../../../kit/environment.ts';
import { type DatabaseUrls, readConfig } from '../../../platform/config/config.ts';
import { connectClient } from '../../../platform/db/client.ts';
import { TableBlocked } from '../../../platform/db/lock-tries.ts';
import { abandon, convert } from '../../../platform/db/partitioning/convert.ts';
import { CannotPartition, OtherPartitions, requirePossible } from '../../../platform/db/partitioning/possible.ts';
import { conversionsOf, STEP_TEXTS, type Step } from '../../../platform/db/partitioning/progress.ts';
import { CopyDiffers } from '../../../platform/db/partitioning/rows.ts';
import { survey, type TableReport } from '../../../platform/db/partitioning/survey.ts';
import { ShapeDiffers } from '../../../platform/db/partitioning/switch.ts';
import { DEFAULT_PARTITIONS, KEPT_FOR_EVER, type KeptTable } from '../../../platform/db/partitioning/tables.ts';
import { inTurn, TurnTaken } from '../../../platform/db/partitioning/turn.ts';
import type { Action } from '../../../tenants/audit/actions.ts';
import { sealControl } from '../../../tenants/audit/chains.ts';
import { record } from '../../../tenants/audit/record.ts';
import { commandClock } from '../command-clock.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { countText } from '../format.ts';
import { requireMigrations } from '../migrations.ts';
import { operator } from '../operator.ts';
import { details, print, table as tableText } from '../output.ts';
import { type Progress, withProgress } from '../progress.ts';

interface Options {
  environment: Environment;
  partitions?: number;
  wait?: true;
  check?: true;
  abandon?: true;
  json?: true;
}

/** Result for one table. */
interface Outcome {
  table: KeptTable;
  result: 'partitioned' | 'partitioned before' | 'abandoned' | 'nothing to abandon';
}

/** Runs `pirogue partition`. */
export async function partitionCommand(names: string[], options: Options, command: Command): Promise<void> {
  const tables = KEPT_FOR_EVER.filter((table) => names.includes(table));
  const unknown = names.filter((name) => !tables.some((table) => table === name));
  if (unknown.length > 0) command.error(`error: ${unknown.join(', ')} cannot be partitioned: give ${KEPT_FOR_EVER.join(', ')}`);
  if (options.check) return checkCommand(tables, options);
  if (tables.length === 0) command.error('error: give the tables to partition, or --check');
  const outcomes = await withProgress(options.json === true, (progress) => changeTables(tables, options, progress));
  print(options.json, { environment: options.environment, tables: outcomes }, () =>
    details(Object.fromEntries(outcomes.map(({ table, result }) => [table, result]))),
  );
}

function changeTables(tables: readonly KeptTable[], options: Options, progress: Progress): Promise<Outcome[]> {
  const report = (_: unknown, message: string) => console.error(message);
  const { environment, wait, partitions } = options;
  return onStore(environment, (url, urls) =>
    inTurn(url, { report, wait }, async (client) => {
      const begun = (await conversionsOf(client)).map(({ parent }) => parent);
      const todo = options.abandon ? begun : await requirePossible(client, tables, partitions);
      const outcomes: Outcome[] = [];
      for (const table of tables) {
        if (!todo.includes(table)) {
          outcomes.push({ table, result: options.abandon ? 'nothing to abandon' : 'partitioned before' });
          continue;
        }
        // The entry is in another database, so it is written before the first change: no change is without an entry.
        await recordIn(urls, options.abandon ? 'table.abandon' : 'table.partition', `${environment}.${table}`);
        const show = (step: Step, rows: number) =>
          progress.update(`${table}: ${STEP_TEXTS[step]}`, () => `${countText(rows)} rows`);
        if (options.abandon) await abandon(client, url, table, { report });
        else await convert(client, url, table, { partitions, report, progress: show });
        outcomes.push({ table, result: options.abandon ? 'abandoned' : 'partitioned' });
      }
      return outcomes;
    }),
  );
}

/** Writes an entry that concerns the whole installation to the audit trail, and seals it. */
function recordIn(urls: DatabaseUrls, action: Action, resource_id: string): Promise<void> {
  return withPool(urls.control, async (control) => {
    await control.transaction((tx) => record(tx, operator(), { team_id: null, action, resource_id, at: commandClock.now() }));
    await sealControl(control);
  });
}

async function checkCommand(
  names: readonly KeptTable[],
  { environment, partitions = DEFAULT_PARTITIONS, json }: Options,
): Promise<void> {
  const reports = await onStore(environment, async (url) => {
    const client = await connectClient(url);
    try {
      // Without names, each table is checked alone, because a run partitions only the tables that are named.
      return await survey(client, names.length > 0 ? names : KEPT_FOR_EVER, partitions, names.length > 0);
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

async function onStore<Result>(
  environment: Environment,
  work: (url: string, urls: DatabaseUrls) => Promise<Result>,
): Promise<Result> {
  try {
    return await withDatabases(readConfig(process.env), async (urls) => {
      for (const name of [environment, 'control'] as const) await withPool(urls[name], (db) => requireMigrations(db, name));
      return work(urls[environment], urls);
    });
  } catch (error) {
    throw failureOf(error);
  }
}

/** Advice for each error. */
const ADVICE: readonly (readonly [kind: abstract new (...args: never[]) => Error, advice: string])[] = [
  [TableBlocked, 'Nothing is lost: the next run continues.'],
  [TurnTaken, 'Wait for its end, or repeat this with --wait.'],
  [OtherPartitions, 'Leave out --partitions. What has begun can be given up with --abandon; what is finished keeps its number.'],
  [CannotPartition, 'Remove what is in the way, then try again. Tables that are partitioned already stay so.'],
  [CopyDiffers, 'The table is as it was. Run the same with --abandon, then report this.'],
  [
    ShapeDiffers,
    'The table is as it was, but somebody changed it while it was copied: undo that and run this again, or give up with --abandon.',
  ],
];

function failureOf(error: unknown): unknown {
  const advice = ADVICE.find(([kind]) => error instanceof kind)?.[1];
  return advice ? new Failure((error as Error).message, advice, { cause: error }) : error;
}
