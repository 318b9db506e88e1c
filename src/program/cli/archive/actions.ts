import type { Command } from 'commander';
import { REASONS, type Reason, type Tally } from '../../../core/archive/schema.ts';
import { restoreNamed, restorePeriod } from '../../../core/archive/restore.ts';
import { archivePayments, MIN_AGE_MS } from '../../../core/archive/service.ts';
import type { Environment } from '../../../kit/environment.ts';
import { isId } from '../../../kit/ids.ts';
import { readConfig } from '../../../platform/config/config.ts';
import type { Store } from '../../../platform/db/stores.ts';
import { commandClock } from '../command-clock.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { UsageFailure } from '../failure.ts';
import { requireMigrations } from '../migrations.ts';
import { operator } from '../operator.ts';
import { countText } from '../format.ts';
import { checkTeam } from '../unknown.ts';
import { details, print } from '../output.ts';
import { withProgress } from '../progress.ts';

interface Options {
  before?: Date;
  olderThan?: number;
  from?: Date;
  restore?: true;
  team?: bigint;
  environment: Environment;
  dryRun?: true;
  json?: true;
}

/** Runs `pirogue archive`. */
export async function archiveCommand(ids: string[], options: Options, command: Command): Promise<void> {
  if (options.restore) return restoreCommand(ids, options, command);
  if (ids.length > 0 || options.from) command.error('error: payments and --from are given with --restore');
  const { team, environment, json, dryRun: dry_run = false } = options;
  const tally = await withProgress(json === true, (progress) =>
    inStore(environment, team, (store) => {
      const before = beforeOf(options, command);
      const show = (seen: Tally) => progress.update('archiving', () => `${countText(seen.archived)} payments`);
      return archivePayments({ clock: commandClock }, store, { team, before, dry_run, progress: show }, operator());
    }),
  );
  print(json, { environment, dry_run, ...tally }, () => textOf(tally, dry_run));
}

/** Returns the time before which payments are archived. @throws UsageFailure for an age below the minimum */
function beforeOf({ before, olderThan }: Options, command: Command): Date {
  const now = commandClock.now();
  const at = olderThan === undefined ? before : new Date(now - olderThan);
  if (at === undefined) return command.error('error: give --before or --older-than');
  if (at.getTime() > now - MIN_AGE_MS) {
    throw new UsageFailure(
      'payments of the last 365 days are not archived',
      'Give an earlier day or a greater age: refunds and disputes are usual until then.',
    );
  }
  return at;
}

async function restoreCommand(ids: string[], options: Options, command: Command): Promise<void> {
  const { from, before, json } = options;
  if (ids.length > 0 === (from !== undefined && before !== undefined)) {
    command.error('error: give either the payments to restore, or --from and --before');
  }
  const environment = ids.length === 0 ? options.environment : environmentOf(ids);
  const team_id = options.team ?? demoTeamId(readConfig(process.env));
  const restored = await withProgress(json === true, (progress) =>
    inStore(environment, team_id, (store) => {
      const restoring = { deps: { clock: commandClock }, store, team_id, by: operator() };
      if (!from || !before) return restoreNamed(restoring, ids);
      const show = (count: number) => progress.update('restoring', () => `${countText(count)} payments`);
      return restorePeriod(restoring, { from, before }, show);
    }),
  );
  print(json, { environment, restored }, () => details({ restored: countText(restored) }));
}

function environmentOf(ids: readonly string[]): Environment {
  const environment = (['sandbox', 'live'] as const).find((one) => ids.every((id) => isId('trx', one, id)));
  if (environment) return environment;
  throw new UsageFailure('these are not ids of payments of one environment', 'Give trx_… of the same environment.');
}

/** Opens a store for `work`, after checking that the team exists. @param team undefined: all */
function inStore<T>(environment: Environment, team: bigint | undefined, work: (store: Store) => Promise<T>): Promise<T> {
  return withDatabases(readConfig(process.env), async (urls) => {
    if (team !== undefined) await withPool(urls.control, (control) => checkTeam(control, team));
    return withPool(urls[environment], async (db) => {
      await requireMigrations(db, environment);
      return work({ environment, db });
    });
  });
}

function textOf({ archived, before, left, bytes_before, bytes_after }: Tally, dry_run: boolean): string {
  const reasons = Object.entries(left) as [Reason, number][];
  return details({
    [dry_run ? 'would be archived' : 'archived']: countText(archived),
    'archived before': countText(before),
    'rows in bytes': dry_run
      ? countText(bytes_before)
      : `${countText(bytes_before)} before, ${countText(bytes_after)} now (without indexes)`,
    ...Object.fromEntries(reasons.map(([reason, number]) => [`left: ${REASONS[reason]}`, countText(number)])),
  });
}
