import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import { lowestIdAt, newId } from '../../kit/ids.ts';
import type { Tx } from '../../kit/sql.ts';
import { connectorOf } from '../../providers/adapters/catalogue.ts';
import { restoreCompared } from './archived.ts';
import { type ClosingDeps, closeByStatement } from './close.ts';
import { undoIdentified } from './identified.ts';
import { loadStatement, NotAStatement, type Chunks } from './load.ts';
import { type Books, closeStage, findMissingThere, judgeLines, makeStage, setRepeatedAside } from './matching-store.ts';
import { BREAK_KINDS, type BreakKind, type BreakRow, type Reading, type Run, type BreakCount, type Tally } from './schema.ts';
import { setAside } from './set-aside.ts';
import { breaksAfter, countStates, earlierRun, finishRun, insertRun, writeOutcomes } from './store.ts';

/**
 * Maximum age before the first line at which an operation in the statement may have been created. Older operations are
 * matched only by key.
 */
const LOOK_BACK_MS = 62 * 86_400_000;
const PAGE = 500;

/**
 * Number of unknown lines from which a statement is assumed to be of another account, if they also outnumber the matching
 * lines.
 */
const MIN_UNKNOWN_LINES = 20;

/** Thrown when the statement appears to be of another account. Nothing was written. */
export class AnotherAccount extends Error {}

export interface ReconciliationRequest {
  team_id: bigint;
  provider: string;
  account: { id: string; name: string };
  file_name: string;
  /** Opens the file. Called again when the comparison restarts after a deadlock. */
  open(): Chunks;
  /** The period for which the statement is complete; null: from its first to its last line. */
  from: Date | null;
  to: Date | null;
  /**
   * Maximum difference between the provider's clock and ours. Nothing this close to the edges of the period is
   * reported as missing.
   */
  skew_ms: number;
  /** True: apply evidence and post corrections. False: only compare. */
  apply: boolean;
  /** Apply the statement even when it appears to be of another account. */
  force: boolean;
  progress(step: Progress): void;
}

export type Progress =
  | { step: 'reading'; bytes: number; lines: number }
  | { step: 'matching' }
  | { step: 'settling'; done: number };

/**
 * Compares a statement with the attempts, payouts and refunds of its account. The comparison is one transaction that
 * writes the run and its breaks. Then they are processed page by page, each in a transaction with its audit entry, so a run that is
 * killed has processed some of them and the next run continues. Nothing is decided or posted twice. At the end, lines that earlier runs
 * set aside as missing and that are identified by now are taken out of suspense.
 * @throws NotAStatement, AnotherAccount, ArchivedPeriod
 */
export async function reconcile(deps: ClosingDeps, store: Store, request: ReconciliationRequest, by: Actor): Promise<Run> {
  const { run, books, since } = await store.db.transaction((tx) => compare(deps, store, tx, request, by));
  let done = 0;
  let posted = false;
  for (const kind of BREAK_KINDS) {
    for await (const rows of pagesOf(store, run, kind)) {
      if (await processBreaks(deps, store, run, rows, by)) posted = true;
      done += rows.length;
      request.progress({ step: 'settling', done });
    }
  }
  if (run.applied && (await undoIdentified(deps, store, books, since, by))) posted = true;
  await store.db.transaction(async (tx) => {
    const at = deps.clock.now();
    // Pages that posted something have entries of their own.
    if (run.applied && !posted)
      await record(tx, by, { team_id: run.team_id, action: 'reconciliation.apply', resource_id: run.id, at });
    await finishRun(tx, run, new Date(at));
  });
  return run;
}

/** The run of a comparison, and the operations that it compared: those since this time, and older ones by key. */
interface Compared {
  run: Run;
  books: Books;
  since: Date;
}

async function compare(deps: ClosingDeps, store: Store, tx: Tx, request: ReconciliationRequest, by: Actor): Promise<Compared> {
  const at = deps.clock.now();
  const id = newId('rec', store.environment, at);
  await makeStage(tx);
  const report = (bytes: number, lines: number) => request.progress({ step: 'reading', bytes, lines });
  const { keyless, ...reading } = await loadStatement(tx, request.open(), connectorOf(request.provider)?.statement, at, report);
  request.progress({ step: 'matching' });
  await closeStage(tx);
  const period = periodOf(request, reading);
  const first = Math.min(reading.first_at ?? Number.POSITIVE_INFINITY, period.from.getTime());
  const since = new Date(Math.max(0, first - LOOK_BACK_MS));
  const books = booksOf(store, request, id, since.getTime());
  await restoreCompared(tx, store.environment, books, since.getTime(), Math.max(reading.last_at ?? 0, period.to.getTime()));
  const [from, to] = [new Date(period.from.getTime() + request.skew_ms), new Date(period.to.getTime() - request.skew_ms)];
  const tallies = [
    ...(await setRepeatedAside(tx, books)),
    ...(await judgeLines(tx, books, 'key')),
    ...(keyless ? await judgeLines(tx, books, 'reference') : []),
    ...(await findMissingThere(tx, books, from, to, keyless)),
  ];
  rejectOtherAccount(request, tallies);
  const known = { team_id: request.team_id, provider_account: request.account.id, file_hash: reading.hash };
  const run: Run = {
    ...{ ...known, id, provider: request.provider, account_name: request.account.name, file_name: request.file_name },
    ...{ from_at: period.from, to_at: period.to, applied: request.apply, reading, tallies: summed(tallies) },
    ...{ created_at: new Date(at), earlier: await earlierRun(tx, known) },
  };
  await insertRun(tx, run, by.id ?? by.kind);
  return { run, books, since };
}

/** Rejects a statement of another account: journals are permanent, so a wrong file must not be posted. */
function rejectOtherAccount({ apply, force }: ReconciliationRequest, tallies: Tally[]): void {
  const of = (verdict: Tally['verdict']) =>
    tallies.filter((tally) => tally.verdict === verdict).reduce((sum, { count }) => sum + count, 0);
  const [unknown, matched] = [of('missing_here'), of('matched')];
  if (apply && !force && unknown >= MIN_UNKNOWN_LINES && unknown > matched) {
    throw new AnotherAccount(`${unknown} lines are unknown here and ${matched} match`);
  }
}

function periodOf({ from, to }: ReconciliationRequest, { first_at, last_at }: Reading): { from: Date; to: Date } {
  const [first, last] = [from?.getTime() ?? first_at, to?.getTime() ?? last_at];
  if (first === null || last === null) throw new NotAStatement('no line has a valid time: state the period of the file');
  return { from: new Date(first), to: new Date(last) };
}

function booksOf({ environment }: Store, request: ReconciliationRequest, run_id: string, at: number): Books {
  return {
    ...{ team_id: request.team_id, provider_account: request.account.id, run_id },
    lowest: {
      attempt: lowestIdAt('att', environment, at),
      transfer: lowestIdAt('po', environment, at),
      refund: lowestIdAt('rfd', environment, at),
    },
  };
}

/** Returns one tally for each verdict, flow and currency. */
function summed(tallies: Tally[]): Tally[] {
  const sums = new Map<string, Tally>();
  for (const tally of tallies) {
    const name = `${tally.verdict} ${tally.flow} ${tally.currency}`;
    const { count = 0, sum_minor = 0n } = sums.get(name) ?? {};
    sums.set(name, { ...tally, count: count + tally.count, sum_minor: sum_minor + tally.sum_minor });
  }
  return [...sums.values()];
}

/** Returns the number of breaks of a run by kind and state. */
export function countBreaks(store: Pick<Store, 'db'>, run: Pick<Run, 'team_id' | 'id'>): Promise<BreakCount[]> {
  return countStates(store.db, run);
}

/** Yields the breaks of a run, page by page. */
export async function* pagesOf(
  store: Pick<Store, 'db'>,
  run: Pick<Run, 'team_id' | 'id'>,
  kind: BreakKind,
): AsyncIterable<BreakRow[]> {
  for (let after = 0n; ; ) {
    const rows = await breaksAfter(store.db, run, kind, after, PAGE);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

/**
 * Processes one page of breaks. Corrections are posted in one transaction. Evidence is applied one by one: it is rare,
 * and each case locks its own payment.
 * @returns whether corrections were posted
 */
async function processBreaks(deps: ClosingDeps, store: Store, run: Run, rows: BreakRow[], by: Actor): Promise<boolean> {
  const posted = await setAside(deps, store, run, rows, by);
  if (!run.applied) return posted;
  for (const row of rows.filter(({ action }) => action === 'close')) {
    await writeOutcomes(store.db, [await closeByStatement(deps, store, run, row, by)]);
  }
  return posted;
}
