import { type Family, type LabelValues, labelled } from './exposition.ts';

/**
 * Maximum series per metric: a label with unbounded values (a bug) must not fill the memory. Further values are counted as
 * `other`.
 */
const MAX_SERIES = 5_000;
const OTHER = 'other';

/** Series by label values. */
class Series<T> {
  readonly #labels: readonly string[];
  readonly #make: () => T;
  readonly #found = new Map<string, { values: LabelValues; state: T }>();

  constructor(labels: readonly string[], make: () => T) {
    this.#labels = labels;
    this.#make = make;
  }

  of(values: LabelValues): T {
    const name = values.join('\n');
    const known = this.#found.get(name);
    if (known) return known.state;
    if (this.#found.size >= MAX_SERIES && values[0] !== OTHER) return this.of(this.#labels.map(() => OTHER));
    const state = this.#make();
    this.#found.set(name, { values, state });
    return state;
  }

  /** @param line returns the lines of one series */
  lines(line: (values: LabelValues, state: T) => string[]): string[] {
    return [...this.#found.values()].flatMap(({ values, state }) => line(values, state));
  }
}

/** A counter, which only increases. */
export class Counter {
  readonly #head: Omit<Family, 'lines' | 'type'>;
  readonly #labels: readonly string[];
  readonly #last: readonly string[];
  readonly #series: Series<{ count: number }>;

  /**
   * @param last all values of the last label. The first count of one of them shows the others with 0, because Prometheus does not see the
   *   first increase of a series that begins with 1
   */
  constructor(name: string, help: string, labels: readonly string[], last: readonly string[] = []) {
    this.#head = { name, help };
    this.#labels = labels;
    this.#last = last;
    this.#series = new Series(labels, () => ({ count: 0 }));
  }

  add(...values: string[]): void {
    this.addMany(1, ...values);
  }

  addMany(count: number, ...values: string[]): void {
    const series = this.#series.of(values);
    if (series.count === 0) for (const value of this.#last) this.#series.of([...values.slice(0, -1), value]);
    series.count += count;
  }

  family(): Family {
    const { name } = this.#head;
    const lines = this.#series.lines((values, { count }) => [`${name}${labelled(this.#labels, values)} ${count}`]);
    return { ...this.#head, type: 'counter', lines };
  }
}

/** From one millisecond, the fastest responses, up to our own deadlines. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** A histogram of durations, so that quantiles can be computed over any number of processes. */
export class Durations {
  readonly #head: Omit<Family, 'lines' | 'type'>;
  readonly #labels: readonly string[];
  readonly #series: Series<{ counts: number[]; sum: number }>;

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#head = { name, help };
    this.#labels = labels;
    this.#series = new Series(labels, () => ({ counts: Array.from({ length: SECONDS.length + 1 }, () => 0), sum: 0 }));
  }

  add(ms: number, ...values: string[]): void {
    const series = this.#series.of(values);
    const seconds = ms / 1000;
    let step = 0;
    while (step < SECONDS.length && seconds > (SECONDS[step] as number)) step++;
    series.counts[step] = (series.counts[step] as number) + 1;
    series.sum += seconds;
  }

  family(): Family {
    return { ...this.#head, type: 'histogram', lines: this.#series.lines((values, state) => this.#lines(values, state)) };
  }

  /** Buckets are cumulative: each includes those with smaller limits. */
  #lines(values: LabelValues, { counts, sum }: { counts: number[]; sum: number }): string[] {
    const { name } = this.#head;
    let below = 0;
    const buckets = counts.map((count, step) => {
      below += count;
      const limit = String(SECONDS[step] ?? '+Inf');
      return `${name}_bucket${labelled([...this.#labels, 'le'], [...values, limit])} ${below}`;
    });
    const labels = labelled(this.#labels, values);
    return [...buckets, `${name}_sum${labels} ${sum}`, `${name}_count${labels} ${below}`];
  }
}
