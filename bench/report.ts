import type { SectionName } from './options.ts';
import { type Comparison, isNoisy, type Sample, type Samples, type Section } from './rounds.ts';

/** One line of the table: medians over the rounds. */
export interface Row extends Sample {
  id: string;
  label: string;
  /** Median of the ratios of each round; null for a baseline. */
  ratio: number | null;
  /** The label of what it is held against. */
  against: string | null;
  goal: NonNullable<Comparison['goal']> | null;
  met: boolean | null;
  /** Most of its windows were disturbed by others, whatever was tried. */
  noisy: boolean;
}

export interface Report {
  section: SectionName;
  rows: Row[];
  notes: string[];
}

export function reportOf(section: Section, samples: Samples): Report {
  const rows = section.points.map(({ id, label }): Row => {
    const taken = samples.get(id) ?? [];
    const comparison = section.comparisons.find(({ point }) => point === id);
    const ratio = comparison ? median(ratios(taken, samples.get(comparison.baseline) ?? [], comparison.metric)) : null;
    const goal = comparison?.goal ?? null;
    const against = section.points.find((point) => point.id === comparison?.baseline)?.label ?? null;
    return {
      id,
      label,
      ratio,
      against,
      goal,
      met: goal === null || ratio === null ? null : reaches(ratio, goal),
      noisy: taken.filter(isNoisy).length * 2 > taken.length,
      ...medians(taken),
    };
  });
  return { section: section.name, rows, notes: section.name === 'post' ? postNotes(samples) : [] };
}

function ratios(taken: Sample[], baseline: Sample[], metric: 'per_second' | 'p50_ms' | 'service_us'): (number | null)[] {
  return taken.map((sample, round) => {
    const [a, b] = [sample[metric], baseline[round]?.[metric]];
    return a == null || !b ? null : a / b;
  });
}

function reaches(ratio: number, goal: NonNullable<Comparison['goal']>): boolean {
  return 'least' in goal ? ratio >= goal.least : ratio <= goal.most;
}

function medians(taken: Sample[]): Sample {
  const of = (name: keyof Sample) => median(taken.map((sample) => sample[name]));
  return {
    per_second: of('per_second') ?? 0,
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    service_us: of('service_us'),
    postgres_us: of('postgres_us'),
    client_us: of('client_us'),
    other: of('other'),
  };
}

export function median(values: (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

/** What the rows say of each other beside the goals; round by round, as the ratios are taken. */
function postNotes(samples: Samples): string[] {
  const times = (id: string, other: string, metric: 'per_second' | 'service_us' = 'per_second') =>
    median(ratios(samples.get(id) ?? [], samples.get(other) ?? [], metric)) ?? Number.NaN;
  const gain = (connections: number) => times(`api-${connections}`, `single-${connections}`).toFixed(2);
  const share = (id: string, other: string) => `${Math.round(times(id, other) * 100)} %`;
  const cpu = times('api-64', 'hello', 'service_us');
  return [
    `Batching makes ${gain(64)}, ${gain(32)} and ${gain(8)} times the payments of single mode (64, 32, 8 connections).`,
    `With the workers in the same process ${share('post-64', 'api-64')}, ${share('post-32', 'api-32')} and ${share('post-8', 'api-8')} of the payments are left.`,
    `With LOG_LEVEL=info (one JSON line for each request, to a file) ${share('logging-64', 'api-64')} of the payments are left.`,
    ...(Number.isFinite(cpu) ? [`A payment at 64 connections costs ${cpu.toFixed(1)} times the Node CPU of a bare hello.`] : []),
  ];
}
