import type { Profile } from './profiles.ts';
import { randomFrom } from './random.ts';
import type { WorldOptions, WorldReport } from './world.ts';

export interface RunOptions {
  seed: string;
  payments: number;
  /** Payments of one world. */
  size: number;
  /** Nodes of each world; drawn when omitted. */
  nodes?: number;
  /** Profile of each world; drawn when omitted. */
  profile?: Profile['name'];
  /** Only this world. */
  only?: number;
}

export interface RunResult {
  seed: string;
  worlds: number;
  payments: number;
  seconds: number;
  /** All together, by kind. */
  counts: Record<string, number>;
  /** Answers of 5xx, by request. */
  failures: Record<string, number>;
  /** Number of occurrences by kind. */
  occurred: Record<string, number>;
  failed: { world: number; report: WorldReport }[];
  summary: string;
}

const PROGRESS_MS = 10_000;

/** Many independent worlds, each decided by the seed of the run and its number. */
export class Run {
  readonly #options: RunOptions;
  readonly world: (options: WorldOptions) => Promise<WorldReport>;

  constructor(options: RunOptions, world: (options: WorldOptions) => Promise<WorldReport>) {
    this.#options = options;
    this.world = world;
  }

  /** What decides a world. */
  optionsOf(world: number): WorldOptions {
    const { seed, payments, size, nodes, profile } = this.#options;
    const own = `${seed}/${world}`;
    const drawn = 1 + randomFrom(own).fork('nodes').int(3);
    const own_payments = Math.min(size, payments - world * size);
    return { seed: own, payments: own_payments, nodes: nodes ?? drawn, ...(profile ? { profile } : {}) };
  }

  /** Runs all worlds, as many at a time as there are processes. @param say gets a line from time to time */
  async all(say: (line: string) => void): Promise<RunResult> {
    const { seed, payments, size, only } = this.#options;
    const count = Math.ceil(payments / size);
    const numbers = only === undefined ? Array.from({ length: count }, (_, i) => i) : [only];
    const since = performance.now();
    const result: RunResult = {
      seed,
      worlds: 0,
      payments: 0,
      seconds: 0,
      counts: {},
      failures: {},
      occurred: {},
      failed: [],
      summary: '',
    };
    let said = since;
    await Promise.all(
      numbers.map(async (world) => {
        const report = await this.world(this.optionsOf(world));
        add(result, world, report);
        if (report.wrong.length > 0) say(`world ${world} fails:\n${report.wrong.map((line) => `  ${line}`).join('\n')}`);
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        say(summaryOf(result, said - since));
      }),
    );
    result.seconds = (performance.now() - since) / 1000;
    result.summary = summaryOf(result, result.seconds * 1000);
    return result;
  }
}

function add(result: RunResult, world: number, report: WorldReport): void {
  result.worlds++;
  result.payments += report.payments;
  sumInto(result.counts, report.counts);
  sumInto(result.failures, report.failures);
  sumInto(result.occurred, report.occurred);
  if (report.wrong.length > 0) result.failed.push({ world, report: { ...report, story: null } });
}

function sumInto(sums: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + count;
}

function summaryOf({ worlds, payments, counts, failed }: RunResult, ms: number): string {
  const { statements = 0, waits = 0, deadlocks = 0, crashes = 0, pauses = 0, cuts = 0 } = counts;
  const speed = Math.round(payments / (ms / 1000));
  return (
    `${payments} payments in ${worlds} worlds, ${speed} a second: ${statements} statements, ${waits} waits for locks, ` +
    `${deadlocks} deadlocks, ${crashes} crashes, ${pauses} pauses, ${cuts} lost connections; ${failed.length} worlds failed`
  );
}
