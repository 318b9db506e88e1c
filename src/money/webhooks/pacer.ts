/** Minimum pause between two claims, so that deliveries and slots that become available meanwhile share one claim. */
const GAP_MS = 5;
/**
 * The same pause after a claim that found little. A claim costs as much as several deliveries, and commits follow each other
 * while payments are charged: with 10 ms, claims took a fifth of the CPU time of a payment's whole life.
 */
const SMALL_GAP_MS = 15;
const SMALL = 32;
/** Maximum of that pause. A busy database makes claims slow; a pause of half their duration lets each claim find more. */
const MAX_GAP_MS = 50;
/** Wait for a notification before the next poll; commits of other processes are found only by polling. */
const BUSY_POLL_MS = 50;
const IDLE_POLL_MS = 500;
/** After work was found, more is likely for this long. */
const BUSY_FOR_MS = 2_000;
const ERROR_REST_MS = 1_000;

export interface Round {
  found: number;
  /** An endpoint has as many deliveries in progress as it may: more of its deliveries are probably waiting. */
  limited: boolean;
  /** Some endpoints were not examined yet, or slots became free that the claim did not take into account: continue after the gap. */
  more: boolean;
  /** Milliseconds until the next delivery is due, if known. */
  next_due_ms: number | null;
}

/** Schedules the worker's claims: immediately when there may be work, rarely when there is none. */
export class Pacer {
  #roused = false;
  #wake = () => {};
  #began = 0;
  #lastFound = Number.NEGATIVE_INFINITY;

  /** Signals that there may be work. */
  rouse(): void {
    this.#roused = true;
    this.#wake();
  }

  /** Marks the start of a claim. Commits from here on need another claim. */
  begin(): void {
    this.#roused = false;
    this.#began = performance.now();
  }

  /** Waits after a claim, depending on its result. */
  async end(round: Round): Promise<void> {
    const now = performance.now();
    if (round.found > 0) this.#lastFound = now;
    const gap = round.found >= SMALL || round.limited ? GAP_MS : SMALL_GAP_MS;
    await pause(Math.min(MAX_GAP_MS, Math.max(gap, (now - this.#began) / 2)));
    if (round.more) return;
    const poll = now - this.#lastFound < BUSY_FOR_MS ? BUSY_POLL_MS : IDLE_POLL_MS;
    await this.#rest(Math.min(poll, round.next_due_ms ?? poll));
  }

  /** Waits after a failed claim, ignoring notifications, so that an outage does not cause a busy loop. */
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
