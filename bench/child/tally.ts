export interface Windowed {
  warm_ms: number;
  window_ms: number;
}

/** What a window counted. */
export interface Counted {
  requests: number;
  seconds: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** More than any loop here can do in a window of a minute; the bound that keeps a loop from running for ever. */
const MAX_REQUESTS = 4_000_000;

/** Counts what is finished between the end of the warm-up and the end of the window. */
export class Tally {
  readonly #began: number;
  readonly #end: number;
  readonly #latencies_ms = new Float64Array(MAX_REQUESTS);
  #requests = 0;
  #over = false;

  constructor({ warm_ms, window_ms }: Windowed, started: () => void) {
    this.#began = performance.now() + warm_ms;
    this.#end = this.#began + window_ms;
    setTimeout(started, warm_ms);
    setTimeout(() => {
      this.#over = true;
    }, warm_ms + window_ms);
  }

  get over(): boolean {
    return this.#over;
  }

  /** @param since performance.now() when it was sent */
  add(since: number): void {
    const now = performance.now();
    if (now < this.#began || now > this.#end) return;
    this.#latencies_ms[this.#requests++] = now - since;
    if (this.#requests === MAX_REQUESTS) this.#over = true;
  }

  result(): Counted {
    const sorted = this.#latencies_ms.subarray(0, this.#requests).sort();
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
    return { requests: this.#requests, seconds: (this.#end - this.#began) / 1000, p50_ms: at(0.5), p99_ms: at(0.99) };
  }
}
