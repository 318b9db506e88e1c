import fs from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../../platform/config/config.ts';
import type { Store } from '../../../platform/db/stores.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { paymentListeners } from '../../listeners.ts';
import { decimal } from '../../../money/ledger/decimal.ts';
import type { AccountRow } from '../../../providers/provider-accounts/schema.ts';
import { listAccounts } from '../../../providers/provider-accounts/store.ts';
import { ArchivedPeriod } from '../../../core/reconciliation/archived.ts';
import { NotAStatement } from '../../../core/reconciliation/load.ts';
import { type ReportFiles, writeReport } from '../../../core/reconciliation/report.ts';
import { BREAK_KINDS, type Run, type BreakCount } from '../../../core/reconciliation/schema.ts';
import { AnotherAccount, type Progress, reconcile, countBreaks } from '../../../core/reconciliation/service.ts';
import { KIND_LABELS } from '../../../core/reconciliation/labels.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { refuseReversed } from '../ledger/day.ts';
import { requireMigrations } from '../migrations.ts';
import { operator } from '../operator.ts';
import { countText } from '../format.ts';
import { details, print, shortMoment, table } from '../output.ts';
import { withProgress } from '../progress.ts';
import { reconciling } from './progress.ts';

interface Options {
  provider: string;
  file: string;
  account?: string;
  team?: bigint;
  environment: Environment;
  from?: Date;
  to?: Date;
  skew: number;
  apply?: true;
  force?: true;
  report: string;
  json?: true;
}

const DAY_MS = 86_400_000;

interface Result {
  run: Run;
  states: BreakCount[];
  files: ReportFiles;
}

/** Reconciles a statement. Exits with code 1 while a break is open, so that a nightly run is noticed. */
export async function reconcileCommand(options: Options): Promise<void> {
  const size = sizeOf(options.file);
  refusePeriod(options);
  refuseFolder(options.report);
  const config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  const result = await withProgress(options.json === true, (progress) =>
    withDatabases(config, async (urls) => {
      const account = await withPool(urls.control, async (control) =>
        chosen(options, await listAccounts(control, team_id, options.environment)),
      );
      return withPool(urls[options.environment], async (db) => {
        await requireMigrations(db, options.environment);
        const deps = { clock: commandClock, config, listeners: paymentListeners(null) };
        const store = { environment: options.environment, db };
        return run(deps, store, options, account, reconciling(progress, size));
      });
    }),
  );
  print(options.json, documentOf(result), () => textOf(result));
  if (openOf(result) > 0 || result.run.reading.bad > 0) process.exitCode = 1;
}

async function run(
  deps: Parameters<typeof reconcile>[0],
  store: Store,
  options: Options,
  account: AccountRow,
  progress: (step: Progress) => void,
): Promise<Result> {
  const request = {
    ...{ team_id: account.team_id, provider: account.provider, account, file_name: path.basename(options.file), progress },
    open: () => fs.createReadStream(options.file, { highWaterMark: 1 << 18 }),
    from: options.from ?? null,
    to: options.to ? new Date(options.to.getTime() + DAY_MS - 1) : null,
    skew_ms: options.skew * 1_000,
    apply: options.apply === true,
    force: options.force === true,
  };
  const run = await reconcile(deps, store, request, operator()).catch((error: unknown) =>
    refuse(error, options, account.team_id),
  );
  return { run, states: await countBreaks(store, run), files: await writeReport(store, run, options.report) };
}

function refuse(error: unknown, { provider, environment }: Options, team_id: bigint): never {
  if (error instanceof AnotherAccount) {
    const advice = 'Nothing was changed. Run without --apply first; --force applies it regardless.';
    throw new Failure(`this looks like the statement of another account: ${error.message}`, advice, { cause: error });
  }
  if (error instanceof ArchivedPeriod) {
    const period = `--from ${error.from} --before ${error.before}`;
    const advice = `Restore them first: pirogue archive --restore ${period} --team ${team_id} --environment ${environment}`;
    throw new Failure(`${error.message}, so that the statement cannot be compared`, advice, { cause: error });
  }
  if (!(error instanceof NotAStatement)) throw error;
  throw new Failure(
    `this is not a statement of ${provider}: ${error.message}`,
    'docs/reconciliation.md lists the columns it needs.',
    {
      cause: error,
    },
  );
}

function sizeOf(file: string): number {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new Failure(`${file} is not a file`, 'Give the statement with --file.');
  return stat.size;
}

/**
 * Checks the folder of the report first: after the evidence is recorded, a missing folder would lose the report.
 * @throws Failure
 */
function refuseFolder(folder: string): void {
  try {
    if (!fs.statSync(folder).isDirectory()) throw new Error('a file');
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    throw new Failure(`${folder} is not a writable folder`, 'Give an existing folder with --report.');
  }
}

/**
 * Rejects a period whose last day is not over: transactions of the rest of the day would be reported as missing.
 * @throws UsageFailure
 */
function refusePeriod(options: Options): void {
  refuseReversed(options);
  const { to } = options;
  if (to && to.getTime() + DAY_MS > commandClock.now())
    throw new UsageFailure('the day of --to is not over', 'Use an earlier day, or omit --to.');
}

function chosen({ provider, account, environment }: Options, rows: AccountRow[]): AccountRow {
  const own = rows.filter((row) => row.provider === provider);
  const [first, ...others] = account === undefined ? own : own.filter(({ id, name }) => id === account || name === account);
  const names = own.map(({ name }) => name).join(', ');
  if (!first)
    throw new Failure(
      `the team has no such account at ${provider} in ${environment}`,
      names ? `It has ${names}.` : '"pirogue providers list" shows its accounts.',
    );
  if (others.length > 0)
    throw new Failure(`the team has several accounts at ${provider}`, `Select one with --account: ${names}.`);
  return first;
}

/** Counts the open breaks, including those in suspense (`hold`), which need a decision too. */
function openOf({ states }: Result): number {
  return states.filter(({ state }) => state !== 'closed' && state !== 'settled').reduce((sum, { count }) => sum + count, 0);
}

function documentOf({ run, states, files }: Result) {
  const { team_id, reading, tallies, ...rest } = run;
  return {
    ...{ ...rest, team_id: String(team_id) },
    reading: { ...reading, fees: reading.fees.map(({ currency, sum_minor }) => ({ currency, sum: decimal(sum_minor) })) },
    tallies: tallies.map(({ sum_minor, ...tally }) => ({ ...tally, sum: decimal(sum_minor) })),
    breaks: states,
    report: files,
  };
}

function textOf(result: Result): string {
  const { run, states, files } = result;
  const of = (verdict: string) =>
    run.tallies.filter((tally) => tally.verdict === verdict).reduce((sum, { count }) => sum + count, 0);
  const rows = BREAK_KINDS.filter((kind) => of(kind) > 0).map((kind) => {
    const counts = states.filter((row) => row.kind === kind).map(({ state, count }) => `${countText(count)} ${state}`);
    return [KIND_LABELS[kind].title, countText(of(kind)), counts.join(', ')];
  });
  const { reading } = run;
  const facts = details({
    run: run.id,
    file: `${run.file_name} (SHA-256 ${run.file_hash.slice(0, 12)}…)${run.earlier ? `, compared before in ${run.earlier}` : ''}`,
    account: `${run.account_name} at ${run.provider}`,
    period: `${shortMoment(run.from_at)} to ${shortMoment(run.to_at)}`,
    lines: `${countText(reading.lines)} read, ${reading.bad} bad, ${reading.pending} pending, ${reading.other} of another kind`,
    matched: countText(of('matched')),
    report: `${files.html}, ${files.csv}`,
  });
  const faults = reading.faults.map(({ line, fault }) => `  line ${line}: ${fault}`);
  const found = rows.length === 0 ? 'No breaks: the statement matches the books.' : table(['break', 'count', 'state'], rows);
  const next =
    run.applied || rows.length === 0
      ? []
      : ['', 'Nothing was changed. --apply records the evidence and moves the rest to suspense.'];
  return [facts, ...faults, '', found, ...next].join('\n');
}
