/** A provider that fails so often in a row is not having a bad moment: five payers in vain are enough. */
export const FAILURES_IN_A_ROW = 5;
/** Or half of at least so many: a provider that works every other time. Fewer would let chance decide. */
export const FAILING_CALLS = 20;
export const FAILING_SHARE = 0.5;
/** One payment is risked as a probe so often: most outages are over within a minute. */
export const PROBE_MS = 15_000;
/** Each probe in vain doubles the wait up to here: nobody waits longer for a provider that works again. */
export const LONGEST_PROBE_MS = 60_000;
/** From a decision to the call lies one short transaction. Should the call never come, the next may go after this. */
export const CHOSEN_MS = 2_000;

/**
 * The circuit of one account on one channel for one operation. Closed: everything passes. Open: nothing but now and then
 * a probe, whose answer closes it.
 */
export class Breaker {
  #inARow = 0;
  #openSince: number | null = null;
  #closedAt = Number.NEGATIVE_INFINITY;
  #wait_ms = PROBE_MS;
  #probeAt = 0;

  /** Null: closed. */
  get openSince(): number | null {
    return this.#openSince;
  }

  /** What failed before is held against it no more. */
  get closedAt(): number {
    return this.#closedAt;
  }

  gate(now: number): 'closed' | 'open' | 'probe' {
    if (this.#openSince === null) return 'closed';
    return now >= this.#probeAt ? 'probe' : 'open';
  }

  /** Somebody was chosen to be the probe: nobody else for a moment. */
  chosen(now: number): void {
    this.#probeAt = Math.max(this.#probeAt, now + CHOSEN_MS);
  }

  /** A call goes out; if as a probe, the next may after the wait, whatever comes of it. */
  sending(now: number): void {
    if (this.#isProbe(now)) this.#probeAt = now + this.#wait_ms;
  }

  /** @param sent when the call began */
  answered(sent: number, now: number): void {
    if (this.#openSince !== null) {
      if (!this.#isProbe(sent)) return;
      this.#openSince = null;
      this.#closedAt = now;
    }
    this.#inARow = 0;
  }

  /** @param lately what was called and what failed since {@link closedAt} */
  failed(sent: number, now: number, lately: { calls: number; failures: number }): void {
    if (this.#openSince !== null) {
      if (this.#isProbe(sent)) this.#failedProbe(now);
      return;
    }
    this.#inARow += 1;
    const half = lately.calls >= FAILING_CALLS && lately.failures >= lately.calls * FAILING_SHARE;
    if (this.#inARow >= FAILURES_IN_A_ROW || half) this.#open(now);
  }

  #open(now: number): void {
    this.#openSince = now;
    this.#wait_ms = PROBE_MS;
    this.#probeAt = now + PROBE_MS;
    this.#inARow = 0;
  }

  /** What was under way when it opened says nothing new: half of those may be answered, and still nobody should be sent there. */
  #isProbe(sent: number): boolean {
    return this.#openSince !== null && sent - this.#openSince >= PROBE_MS;
  }

  #failedProbe(now: number): void {
    this.#wait_ms = Math.min(this.#wait_ms * 2, LONGEST_PROBE_MS);
    this.#probeAt = now + this.#wait_ms;
  }
}
