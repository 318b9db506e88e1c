import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/kit/sql.ts';
import { leftOpen } from '../../test/system/audit.ts';
import type { ShopResult } from './child/shop.ts';
import type { Options } from './options.ts';
import { type Sample, takeSample } from './sample.ts';
import { type Bound, connectionShare, deadRows, judgeAll, type Series, warmupSeconds } from './series.ts';
import { type Role, ServiceProcess } from './service.ts';
import type { Stage } from './stage.ts';

const MAX_SAMPLE_EVERY_S = 10;
/** A short run is sampled more often, so that it has enough samples to be judged. */
const MIN_SAMPLES = 30;
/** Samples for each line of progress: one line a minute in a long run. */
const REPORT_EVERY = 6;
const FAULTS_EVERY_MS = 60_000;
const FAULTS_MS = 10_000;
/**
 * Limit of the wait for open payments, in the accelerated time of the databases: the half hour for which a payment may be unknown,
 * and the minutes between two polls at that age.
 */
const SETTLE_MS = 2_700_000;
/** Speed of the clock after a load in real time. */
const SETTLE_SPEED = 10;
const BACKLOG_MS = 120_000;
/** A webhook or mail that failed a few times waits minutes for its next try. */
const UNSENT_MS = 900_000;
const LOOKS_FOR_REPORT = 60;
const JOB_MS = 60_000;
const AUDIT_MS = 3_600_000;
const KILL_EVERY = 3;
/**
 * How long after the beginning of a restart callers may be asked to try again: the restart itself, and a minute after the process is
 * back (docs/scaling.md).
 */
const DEFERRAL_S = 90;
/** Tolerance, because the shop's times are counted from a later moment than those of the restarts. */
const CLOCKS_S = 10;

export interface Restart {
  at_s: number;
  role: Role;
  how: 'stop' | 'kill';
  stop_s: number;
  start_s: number;
}

export interface Books {
  differences: string[];
  moved: number;
  faults: number;
  decided: number;
  received: number;
  repeated: number;
  wrong: number;
  missing: string[];
  /** Webhooks and mails that were still not sent long after the load. */
  unsent: number;
  /** What was still open long after the load, by kind; empty: nothing. */
  open: Record<string, number>;
}

export interface Result {
  options: Options;
  samples: Sample[];
  series: Series[];
  bounds: Bound[];
  restarts: Restart[];
  shop: ShopResult;
  books: Books;
  /** Lines of the service's logs by message. */
  log: { what: string; count: number }[];
}

/**
 * Runs the load, waits for the work that remains, and judges the samples.
 * @param report shows a line of progress
 * @throws Error when the service, a helper or a sample fails
 */
export async function runSoak(stage: Stage, options: Options, report: (text: string) => void): Promise<Result> {
  const api = await ServiceProcess.open('api', stage, options);
  const processes = { api, worker: await ServiceProcess.open('worker', stage, options) };
  const since = performance.now();
  const over = new AbortController();
  const samples: Sample[] = [];
  const restarts: Restart[] = [];
  const sampling = every(sampleSeconds(options) * 1000, over.signal, async () => {
    samples.push(await takeSample(stage.live, processes, { since, speed: options.speed }));
    if (samples.length % REPORT_EVERY === 0) report(progress(samples.at(-1) as Sample));
  });
  // The work that is open at the end of the load must end without restarts and faults.
  const loading = AbortSignal.any([over.signal, AbortSignal.timeout(options.minutes * 60_000)]);
  const others = [sampling, restartInTurn(processes, options, loading, since, restarts)];
  if (options.faults) others.push(stormInTurn(stage, loading));
  const shop = await Promise.race([load(stage, options), failureOf(others)]);
  over.abort();
  await Promise.all(others);
  report(`${shop.created} payments; waiting for deliveries`);
  const unsent = await sent(stage);
  // Events are compared before the clock is accelerated, because their retention would then end.
  const missing = await missingEvents(stage);
  const hastened = await hasten(stage, options, processes);
  report('waiting for what is still open');
  const end = await settled(stage, hastened.speed, report);
  const books = await compare(stage, shop, { ...end, missing, unsent });
  await Promise.all(hastened.processes.map((one) => one.stop()));
  const warmup_s = warmupSeconds(options.minutes);
  return {
    ...{ options, samples, restarts, shop, books },
    series: judgeAll(samples, shop.windows, warmup_s),
    bounds: [...deadRows(samples, warmup_s), ...connectionShare(samples)],
    log: logLines(Object.values(processes).map(({ log }) => log)),
  };
}

/** Returns why the run failed; empty when it passed. */
export function failuresOf({ series, bounds, shop, books, restarts }: Result): string[] {
  const isExpected = (s: number) => restarts.some(({ at_s }) => s >= at_s - CLOCKS_S && s <= at_s + DEFERRAL_S);
  const deferred = shop.deferred_at_s.filter((s) => !isExpected(s)).length;
  const lost = shop.lost_at_s.filter((s) => !isExpected(s)).length;
  return [
    ...series.filter(({ judged }) => judged.verdict === 'grows').map(({ name }) => `${name} grows`),
    ...bounds.filter(({ highest, bound }) => highest > bound).map(({ name }) => `${name} exceed their bound`),
    ...books.differences,
    ...books.missing.map((id) => `event ${id} was not delivered`),
    ...(books.unsent > 0 ? [`${books.unsent} webhooks and mails were still to be sent`] : []),
    ...Object.entries(books.open).map(([kind, count]) => `${count} ${kind} were still open`),
    ...(books.wrong > 0 ? [`${books.wrong} deliveries had a wrong signature`] : []),
    ...(shop.skipped > 0 ? [`${shop.skipped} orders were not started: the service did not keep up with the rate`] : []),
    ...(deferred > 0 ? [`${deferred} answers of 5xx asked to try again without a restart before them`] : []),
    ...(lost > 0 ? [`${lost} requests had no complete answer without a restart before them`] : []),
    ...Object.entries(shop.errors).map(([name, count]) => `${count} unexpected answers: ${name}`),
  ];
}

function sampleSeconds({ minutes }: Options): number {
  return Math.min(MAX_SAMPLE_EVERY_S, (minutes * 60) / MIN_SAMPLES);
}

function load({ shop, port, key }: Stage, options: Options): Promise<ShopResult> {
  const { minutes, rate, seed } = options;
  const run_ms = minutes * 60_000;
  return shop.run({ port, key, seed, rate, run_ms, window_ms: sampleSeconds(options) * 1000 }, run_ms * 2 + AUDIT_MS);
}

/** Rejects when one of the jobs beside the load fails. */
function failureOf(jobs: Promise<void>[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const job of jobs) job.catch(reject);
  });
}

/** Runs the work at regular intervals until the signal aborts. An interval that was missed is skipped. */
async function every(ms: number, over: AbortSignal, act: (turn: number) => Promise<void>): Promise<void> {
  const since = performance.now();
  for (let turn = 1; ; turn++) {
    const passed = performance.now() - since;
    await pause(ms - (passed % ms), over);
    if (over.aborted) return;
    await act(turn);
  }
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal: over }).catch(() => {});
}

async function restartInTurn(
  processes: Record<Role, ServiceProcess>,
  { minutes, restart_every, kills }: Options,
  over: AbortSignal,
  since: number,
  restarts: Restart[],
): Promise<void> {
  if (restart_every === 0) return;
  // The first two thirds have no restarts: only in a long life can a leak be distinguished from the warm-up.
  await pause((minutes * 60_000 * 2) / 3, over);
  await every(restart_every * 60_000, over, async (turn) => {
    const role = turn % 2 === 1 ? 'api' : 'worker';
    const how = kills && turn % KILL_EVERY === 0 ? 'kill' : 'stop';
    const at_s = (performance.now() - since) / 1000;
    restarts.push({ at_s, role, how, ...(await processes[role].restart(how)) });
  });
}

async function stormInTurn({ market }: Stage, over: AbortSignal): Promise<void> {
  await every(FAULTS_EVERY_MS, over, async (turn) => {
    await market.run({ kind: 'storm', turn }, JOB_MS);
    await pause(FAULTS_MS, over);
    await market.run({ kind: 'calm' }, JOB_MS);
  });
}

/**
 * Waits until no webhook and no mail is waiting to be sent, for a limited time. One that is never sent must not cost the samples of
 * hours.
 * @returns how many are still waiting
 */
async function sent({ live, market }: Stage): Promise<number> {
  await market.run({ kind: 'calm' }, JOB_MS);
  const deadline = performance.now() + UNSENT_MS;
  for (;;) {
    const unsent = await countUnsent(live);
    if (unsent === 0 || performance.now() > deadline) return unsent;
    await sleep(500);
  }
}

async function countUnsent(live: Stage['live']): Promise<number> {
  const [row] = await live.all<{ count: bigint }>(sql`
    select (select count(*) from deliveries) + (select count(*) from mails where due_at is not null) as count`);
  return Number(row?.count ?? 0);
}

async function missingEvents({ receiver, urls }: Stage): Promise<string[]> {
  const { missing = [] } = await receiver.run({ kind: 'compare', live_url: urls.live, missed: [] }, AUDIT_MS);
  return missing;
}

/** Restarts the processes with an accelerated clock unless they have one already, because a payment may be unknown for half an hour. */
async function hasten(stage: Stage, options: Options, processes: Record<Role, ServiceProcess>) {
  if (options.speed > 1) return { speed: options.speed, processes: Object.values(processes) };
  await Promise.all(Object.values(processes).map((one) => one.stop()));
  const from_s = Math.floor(Date.now() / 1000);
  await stage.market.run({ kind: 'hasten', speed: SETTLE_SPEED, from_s }, JOB_MS);
  const open = (role: Role) => ServiceProcess.open(role, { ...stage, from_s }, { ...options, speed: SETTLE_SPEED });
  return { speed: SETTLE_SPEED, processes: [await open('api'), await open('worker')] };
}

/**
 * Waits until nothing is open and nothing is waiting to be sent, for a limited time.
 * @returns how many attempts a statement decided, and what is still open
 */
async function settled(
  { live, market }: Stage,
  speed: number,
  report: (text: string) => void,
): Promise<Pick<Books, 'decided' | 'open'>> {
  const deadline = performance.now() + SETTLE_MS / speed + BACKLOG_MS;
  for (let decided = 0, looks = 0; ; looks++) {
    const open = { ...(await leftOpen(live)), unsent: await countUnsent(live) };
    if (Object.values(open).every((count) => count === 0)) return { decided, open: {} };
    if (looks % LOOKS_FOR_REPORT === 0) report(`still open: ${JSON.stringify(open)}`);
    // One payment that never ends must not cost the samples of hours.
    if (performance.now() > deadline) {
      return { decided, open: Object.fromEntries(Object.entries(open).filter(([, count]) => count > 0)) };
    }
    decided += (await market.run({ kind: 'decide' }, JOB_MS)).decided ?? 0;
    await sleep(500);
  }
}

async function compare(
  { market, receiver, urls }: Stage,
  { created }: ShopResult,
  before: Pick<Books, 'decided' | 'open' | 'missing' | 'unsent'>,
): Promise<Books> {
  const { differences = [], moved = 0, faults = 0 } = await market.run({ kind: 'audit', orders: created }, AUDIT_MS);
  // An event may be recorded between the last delivery and the first comparison. It is missing only if it never arrives.
  const compared = await receiver.run({ kind: 'compare', live_url: urls.live, missed: before.missing }, AUDIT_MS);
  const { received = 0, repeated = 0, wrong = 0, missing = [] } = compared;
  return { differences, moved, faults, received, repeated, wrong, ...before, missing };
}

/** Counts the lines of the logs by their message, the message of their error and their sweep. */
function logLines(files: string[]): Result['log'] {
  const lines = files.flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const counts = new Map<string, number>();
  for (const what of lines.map(messageOf)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts].map(([what, count]) => ({ what, count }));
}

function messageOf(line: string): string {
  try {
    const { msg, err, sweep } = JSON.parse(line) as { msg?: string; err?: { message?: string }; sweep?: string };
    return [msg, sweep, err?.message].filter((part) => part !== undefined).join(': ');
  } catch {
    return line.slice(0, 200);
  }
}

function progress({ at_s, values }: Sample): string {
  const shown = (name: string, unit: string) => `${name} ${Math.round(values[name] ?? 0)}${unit}`;
  return [
    `${Math.round(at_s / 60)} min`,
    `${values['payments.inserted'] ?? 0} payments`,
    ...['api.heap_mb', 'api.rss_mb', 'worker.heap_mb', 'worker.rss_mb', 'db.size_mb'].map((name) => shown(name, '')),
    shown('queue.deliveries.depth', ''),
  ].join(', ');
}
