/** Between two claims, so that what comes, and what slots get free, in the meantime share one. */
const GAP_MS = 5;
/** The same after a claim that found nothing. */
const EMPTY_GAP_MS = 10;
/** A busy database makes claims slow; half as long a rest then makes each of them worth more. */
const MOST_GAP_MS = 50;
/** How long to wait for a wake before looking again: other processes' commits are found by looking only. */
const BUSY_POLL_MS = 50;
const IDLE_POLL_MS = 500;
/** Work was found within this time: more is likely. */
const BUSY_FOR_MS = 2_000;
const ERROR_REST_MS = 1_000;

export interface Round {
  found: number;
  /** There are endpoints that were not looked at yet: go on at once. */
  unseen: boolean;
  /** When the next delivery comes due, if that is known. */
  next_due_ms: number | null;
}

/** Decides when the worker looks next: at once when there is reason, seldom when there is none. */
export class Pacer {
  #roused = false;
  #wake = () => {};
  #began = 0;
  #lastFound = Number.NEGATIVE_INFINITY;

  /** There may be work now. */
  rouse(): void {
    this.#roused = true;
    this.#wake();
  }

  /** A look begins: what is committed from here on needs another. */
  begin(): void {
    this.#roused = false;
    this.#began = performance.now();
  }

  /** Waits after a look as long as its result suggests. */
  async end(round: Round): Promise<void> {
    const now = performance.now();
    if (round.found > 0) this.#lastFound = now;
    const gap = round.found > 0 ? GAP_MS : EMPTY_GAP_MS;
    await pause(Math.min(MOST_GAP_MS, Math.max(gap, (now - this.#began) / 2)));
    if (round.unseen) return;
    const poll = now - this.#lastFound < BUSY_FOR_MS ? BUSY_POLL_MS : IDLE_POLL_MS;
    await this.#rest(Math.min(poll, round.next_due_ms ?? poll));
  }

  /** Waits after a look that failed, whatever wakes come: an outage is not a reason to hurry. */
  failed(): Promise<void> {
    return pause(ERROR_REST_MS);
  }

  #rest(ms: number): Promise<void> {
    if (this.#roused) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
