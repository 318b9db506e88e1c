import type { SectionName } from './options.ts';
import { type Comparison, isNoisy, type Metric, type Sample, type Samples, type Section } from './rounds.ts';

/** One point: medians over the rounds. */
export interface Row extends Sample {
  id: string;
  label: string;
  /** Most of its windows were disturbed by others, whatever was tried. */
  noisy: boolean;
}

/** One comparison: the median of the ratios within each round. */
export interface Ratio {
  label: string;
  /** Label of the baseline. */
  against: string;
  metric: Metric;
  /** Null where a figure is missing. */
  ratio: number | null;
  goal: NonNullable<Comparison['goal']> | null;
  met: boolean | null;
  noisy: boolean;
}

export interface Report {
  section: SectionName;
  /** In the order of the section: those with goals first. */
  ratios: Ratio[];
  rows: Row[];
  /** Further figures by name. */
  figures: Record<string, number>;
  notes: string[];
}

export function reportOf(section: Section, samples: Samples): Report {
  const rows = section.points.map(({ id, label }): Row => {
    const taken = samples.get(id) ?? [];
    return { id, label, noisy: taken.filter(isNoisy).length * 2 > taken.length, ...medians(taken) };
  });
  const ratios = section.comparisons.map((comparison) => ratioOf(comparison, rows, samples));
  return { section: section.name, ratios, rows, figures: {}, notes: [] };
}

function ratioOf({ point, baseline, metric, goal = undefined }: Comparison, rows: Row[], samples: Samples): Ratio {
  const [row, base] = [point, baseline].map((id) => rows.find((row) => row.id === id));
  if (!row || !base) throw new Error(`no point ${point} or ${baseline}`);
  const ratio = median(ratiosWithin(samples.get(point) ?? [], samples.get(baseline) ?? [], metric));
  return {
    label: row.label,
    against: base.label,
    metric,
    ratio,
    goal: goal ?? null,
    met: !goal || ratio === null ? null : reaches(ratio, goal),
    noisy: row.noisy || base.noisy,
  };
}

function ratiosWithin(taken: Sample[], baseline: Sample[], metric: Metric): (number | null)[] {
  return taken.map((sample, round) => {
    const base = baseline[round];
    const [a, b] = [figureOf(sample, metric), base ? figureOf(base, metric) : null];
    return a === null || !b ? null : a / b;
  });
}

function figureOf(sample: Sample, metric: Metric): number | null {
  if (metric !== 'all_us') return sample[metric];
  const { service_us, postgres_us, client_us } = sample;
  return postgres_us === null || client_us === null ? null : (service_us ?? 0) + postgres_us + client_us;
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
