/** Ten minutes: long enough for a meaningful rate, short enough that a past outage no longer counts. */
const MINUTES = 10;
const MINUTE_MS = 60_000;
/** Length of the window. */
export const WINDOW_MS = MINUTES * MINUTE_MS;
/** Upper bounds of the latency histogram. No call may take longer than the last. */
const BOUNDS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 60_000] as const;

const COUNTS = ['calls', 'failures', 'succeeded', 'unsuccessful', 'reads', 'unreadable'] as const;
export type Count = (typeof COUNTS)[number];
const WIDTH = COUNTS.length + BOUNDS_MS.length;
const PLACE = Object.fromEntries(COUNTS.map((count, i) => [count, i])) as Record<Count, number>;

export type Totals = Record<Count, number> & {
  /** Upper bound of the histogram step below which 95 % of the calls lie; null: no calls. */
  p95_ms: number | null;
};

/** Counters of each of the last ten minutes, in a constant 0.7 kB. */
export class Window {
  readonly #counts = new Uint32Array(MINUTES * WIDTH);
  readonly #minutes = new Float64Array(MINUTES).fill(Number.NEGATIVE_INFINITY);

  count(what: Count, now: number): void {
    this.#add(PLACE[what], now);
  }

  latency(took_ms: number, now: number): void {
    const step = BOUNDS_MS.findIndex((bound) => took_ms <= bound);
    this.#add(COUNTS.length + (step < 0 ? BOUNDS_MS.length - 1 : step), now);
  }

  /**
   * Returns the sums of the window.
   * @param after counts only minutes that began after this time
   */
  totals(now: number, after = Number.NEGATIVE_INFINITY): Totals {
    const sums = new Array<number>(WIDTH).fill(0);
    const minute = Math.floor(now / MINUTE_MS);
    for (const [i, start] of this.#minutes.entries()) {
      // Minutes in the future were counted before the clock was set back.
      if (start <= minute - MINUTES || start > minute || start * MINUTE_MS <= after) continue;
      for (let field = 0; field < WIDTH; field++)
        sums[field] = (sums[field] as number) + (this.#counts[i * WIDTH + field] as number);
    }
    const [calls, failures, succeeded, unsuccessful, reads, unreadable] = sums as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return { calls, failures, succeeded, unsuccessful, reads, unreadable, p95_ms: p95(sums.slice(COUNTS.length)) };
  }

  #add(field: number, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    const place = minute % MINUTES;
    if (this.#minutes[place] !== minute) {
      this.#minutes[place] = minute;
      this.#counts.fill(0, place * WIDTH, (place + 1) * WIDTH);
    }
    const at = place * WIDTH + field;
    this.#counts[at] = (this.#counts[at] as number) + 1;
  }
}

function p95(steps: readonly number[]): number | null {
  const all = steps.reduce((sum, count) => sum + count, 0);
  let rest = Math.ceil(all * 0.95);
  const step = steps.findIndex((count) => {
    rest -= count;
    return rest <= 0;
  });
  return all === 0 ? null : (BOUNDS_MS[step] as number);
}
