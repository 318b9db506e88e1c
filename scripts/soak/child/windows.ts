import { quantile } from '../slope.ts';

/** Latencies of one operation in one window. */
export interface Latency {
  count: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
}

export interface Window {
  /** End of the window in seconds since the start of the load. */
  at_s: number;
  latencies: Record<string, Latency>;
}

/** Latencies by operation and window. The values of a window are dropped when it ends. */
export class Windows {
  readonly #since = performance.now();
  readonly #done: Window[] = [];
  #open = new Map<string, number[]>();

  add(operation: string, ms: number): void {
    const known = this.#open.get(operation);
    if (known) known.push(ms);
    else this.#open.set(operation, [ms]);
  }

  /** Ends the current window and starts the next. */
  turn(): void {
    const latencies = [...this.#open].map(([operation, values]) => [operation, latencyOf(values)] as const);
    this.#done.push({ at_s: (performance.now() - this.#since) / 1000, latencies: Object.fromEntries(latencies) });
    this.#open = new Map();
  }

  all(): Window[] {
    return this.#done;
  }
}

function latencyOf(values: number[]): Latency {
  const sorted = Float64Array.from(values).sort();
  const [p50_ms, p95_ms, p99_ms] = [0.5, 0.95, 0.99].map((share) => quantile(sorted, share)) as [number, number, number];
  return { count: values.length, p50_ms, p95_ms, p99_ms };
}
