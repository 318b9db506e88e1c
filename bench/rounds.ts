import type { Options, SectionName } from './options.ts';
import { type CpuReading, ownCpu, readCpu, treeCpu } from './cpu.ts';
import type { Counted } from './child/tally.ts';

/** More of one core than this used by others: the window is taken again. */
const NOISY = 0.15;
const MAX_TRIES = 3;
/** Before a window: how long to wait for a quiet machine, and how long to look. */
const MAX_WAIT_MS = 3_000;
const LOOK_MS = 250;

/** One thing that is measured again and again. */
export interface Point {
  id: string;
  label: string;
  /** Whose CPU counts as the service's, and as the load's or the baseline's. */
  service_pid: number | null;
  client_pid: number;
  prepare(): Promise<void>;
  /** @param started to be called when the warm-up is over */
  run(started: () => void): Promise<Counted>;
  /** Undoes what `prepare` did, when the CPU has been read. */
  finish?(): Promise<void>;
}

/** `all_us`: CPU of service, PostgreSQL and client together. */
export type Metric = 'per_second' | 'p50_ms' | 'service_us' | 'all_us';

/** A point relative to a baseline in the same round. */
export interface Comparison {
  point: string;
  baseline: string;
  metric: Metric;
  goal?: { least: number } | { most: number };
}

export interface Section {
  name: SectionName;
  points: Point[];
  comparisons: Comparison[];
  /** Called with each sample of a point. */
  taken?(point: string, sample: Sample): void;
  /** Further figures by name, for JSON; asked when all points are taken. */
  figures?(): Record<string, number>;
  /** What else there is to say; asked when all points are taken. */
  notes?(): Promise<string[]>;
  close(): Promise<void>;
}

export interface Sample {
  per_second: number;
  p50_ms: number | null;
  p99_ms: number | null;
  /** CPU microseconds for each request; null where they cannot be read. */
  service_us: number | null;
  postgres_us: number | null;
  client_us: number | null;
  /** Cores used by others. */
  other: number | null;
}

export type Samples = Map<string, Sample[]>;

/** Takes every point once in each round, in another order each time, so that drift meets all of them. */
export async function takeRounds(
  section: Section,
  options: Options,
  postgres_pid: number,
  report: (text: string) => void,
): Promise<Samples> {
  const { rounds, quick } = options;
  const samples: Samples = new Map(section.points.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round++) {
    const turn = round % section.points.length;
    for (const point of [...section.points.slice(turn), ...section.points.slice(0, turn)]) {
      const sample = await quietSample(point, postgres_pid, quick ? 1 : MAX_TRIES);
      samples.get(point.id)?.push(sample);
      section.taken?.(point.id, sample);
      report(`${section.name} ${round + 1}/${rounds}  ${point.label}: ${Math.round(sample.per_second)}/s`);
    }
  }
  return samples;
}

export function isNoisy(sample: Sample): boolean {
  return (sample.other ?? 0) > NOISY;
}

async function quietSample(point: Point, postgres_pid: number, most_tries: number): Promise<Sample> {
  let best: Sample | undefined;
  for (let tries = 0; tries < most_tries; tries++) {
    const steady = most_tries > 1 && !(await untilQuiet());
    const sample = await take(point, postgres_pid);
    if (!best || (sample.other ?? 0) < (best.other ?? 0)) best = sample;
    if (!isNoisy(best) || steady) break;
  }
  return best as Sample;
}

/** A burst of someone else's is better waited for than measured. @returns false when it is none: it does not end */
async function untilQuiet(): Promise<boolean> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (performance.now() < deadline) {
    const before = readCpu();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const after = readCpu();
    if (!before || !after || othersIn(before, after) <= NOISY) return true;
  }
  return false;
}

/** Cores used by everyone but us. */
function othersIn(before: CpuReading, after: CpuReading): number {
  const ours = treeCpu(after, process.pid) - treeCpu(before, process.pid);
  return Math.max(0, (after.busy_s - before.busy_s - ours) / ((after.at_ms - before.at_ms) / 1000));
}

async function take(point: Point, postgres_pid: number): Promise<Sample> {
  await point.prepare();
  let before: CpuReading | null = null;
  const counted = await point.run(() => {
    before = readCpu();
  });
  const after = readCpu();
  await point.finish?.();
  const { requests, seconds, p50_ms, p99_ms } = counted;
  return { per_second: requests / seconds, p50_ms, p99_ms, ...spent(point, postgres_pid, Math.max(1, requests), before, after) };
}

type Spent = Pick<Sample, 'service_us' | 'postgres_us' | 'client_us' | 'other'>;

function spent(point: Point, postgres_pid: number, requests: number, before: CpuReading | null, after: CpuReading | null): Spent {
  if (!before || !after) return { service_us: null, postgres_us: null, client_us: null, other: null };
  // Of the benchmark itself PostgreSQL and all services are children.
  const of = (reading: CpuReading, pid: number) => (pid === process.pid ? ownCpu(reading) : treeCpu(reading, pid));
  const by = (pid: number) => of(after, pid) - of(before, pid);
  const each = (pid: number) => (by(pid) / requests) * 1e6;
  return {
    service_us: point.service_pid === null ? null : each(point.service_pid),
    postgres_us: each(postgres_pid),
    client_us: each(point.client_pid),
    other: othersIn(before, after),
  };
}
