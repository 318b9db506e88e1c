/** Consecutive failures that open the circuit. Five failed payments indicate an outage rather than isolated errors. */
export const FAILURES_IN_A_ROW = 5;
/**
 * The circuit also opens when at least this share of at least this many calls failed, for a provider that works
 * intermittently. Fewer calls would not be statistically meaningful.
 */
export const FAILING_CALLS = 20;
export const FAILING_SHARE = 0.5;
/** Delay before a probe, which risks one payment. Most outages end within a minute. */
export const PROBE_MS = 15_000;
/** Each failed probe doubles the delay up to this maximum, so that a recovered provider is detected soon. */
export const MAX_PROBE_MS = 60_000;
/**
 * Time reserved for a chosen probe to be sent. Between the decision and the call is one short transaction. If the call
 * is never made, the next probe may be sent after this.
 */
export const CHOSEN_MS = 2_000;

/**
 * What failed. `calls`: calls that submit an operation. `ends`: accepted operations that ended with a problem of the provider or
 * operator, as in an outage behind an aggregator.
 */
export type FailureKind = 'calls' | 'ends';

/** State of a circuit, as nodes report it to each other. Times in milliseconds since the epoch, by the database's clock. */
export interface CircuitReport {
  open_since: number | null;
  /** What opened it. Absent in reports of nodes of an earlier release. */
  opened_by?: FailureKind;
  closed_at: number | null;
  wait_ms: number;
  probe_at: number;
  changed_at: number;
}

/** Returns whether a report of another node can be read. */
export function isCircuitReport(report: object | undefined): report is CircuitReport {
  const { open_since, closed_at, wait_ms, probe_at, changed_at } = (report ?? {}) as Partial<CircuitReport>;
  return [open_since ?? 0, closed_at ?? 0, wait_ms, probe_at, changed_at].every((time) => Number.isFinite(time));
}

/**
 * The circuit breaker of one account on one channel for one operation. Closed: every call passes. Open: only an occasional probe
 * passes. A circuit that was opened by failed calls closes when a probe is answered. One that was opened by failed operations closes
 * when a probe ends without a technical failure, because the acceptance of a probe proves nothing.
 */
export class Breaker {
  readonly #inARow = { calls: 0, ends: 0 };
  #openSince: number | null = null;
  #openedBy: FailureKind = 'calls';
  #closedAt = Number.NEGATIVE_INFINITY;
  #wait_ms = PROBE_MS;
  #probeAt = 0;
  /** Time of the last change, here or on another node. The latest change applies on every node. */
  #changedAt = 0;
  /** Send time of this node's last answered call, and submission time of its last operation that ended without a technical failure. */
  readonly #wentWell = { calls: Number.NEGATIVE_INFINITY, ends: Number.NEGATIVE_INFINITY };

  /** Time at which the circuit opened, in milliseconds since the epoch. Null: closed. */
  get openSince(): number | null {
    return this.#openSince;
  }

  /** Time at which the circuit last closed. Earlier failures are no longer counted. */
  get closedAt(): number {
    return this.#closedAt;
  }

  /** Returns the state for other nodes; null when it has never changed. */
  report(): CircuitReport | null {
    if (this.#changedAt === 0) return null;
    const closed_at = Number.isFinite(this.#closedAt) ? this.#closedAt : null;
    return {
      ...{ open_since: this.#openSince, opened_by: this.#openedBy, closed_at, wait_ms: this.#wait_ms },
      ...{ probe_at: this.#probeAt, changed_at: this.#changedAt },
    };
  }

  /**
   * Takes over the state of another node, unless this one has changed later. An open circuit is not taken over when the same kind of
   * operation has succeeded on this node since then: the other node's own connection to the provider has failed.
   */
  adopt({ open_since, opened_by = 'calls', closed_at, wait_ms, probe_at, changed_at }: CircuitReport, now: number): void {
    if (changed_at <= this.#changedAt) return;
    if (open_since !== null && this.#openSince === null && this.#wentWell[opened_by] > open_since) return;
    if ((open_since === null) !== (this.#openSince === null)) this.#forgetRows();
    this.#openSince = open_since;
    this.#openedBy = opened_by;
    this.#closedAt = closed_at ?? Number.NEGATIVE_INFINITY;
    this.#wait_ms = Math.min(Math.max(wait_ms, PROBE_MS), MAX_PROBE_MS);
    this.#probeAt = probe_at;
    this.#changedAt = changed_at;
    this.#follow(now);
  }

  gate(now: number): 'closed' | 'open' | 'probe' {
    this.#follow(now);
    if (this.#openSince === null) return 'closed';
    return now >= this.#probeAt ? 'probe' : 'open';
  }

  /** Reserves the probe for a chosen request, so that no other is chosen for a moment. */
  chosen(now: number): void {
    this.#follow(now);
    this.#probeAt = Math.max(this.#probeAt, now + CHOSEN_MS);
    this.#changed(now);
  }

  /** Records that a call is sent. If it is the probe, the next one may follow after the delay, whatever its result. */
  sending(now: number): void {
    this.#follow(now);
    if (!this.#isProbe(now)) return;
    this.#probeAt = now + this.#wait_ms;
    this.#changed(now);
  }

  /**
   * Records that a call was answered, or that an operation ended without a technical failure.
   * @param sent when the call began, or the operation that ended was submitted
   */
  well(kind: FailureKind, sent: number, now: number): void {
    this.#wentWell[kind] = Math.max(this.#wentWell[kind], sent);
    if (this.#openSince !== null) {
      if (kind !== this.#openedBy || !this.#isProbe(sent)) return;
      this.#openSince = null;
      this.#closedAt = now;
      this.#changed(now);
      this.#forgetRows();
    }
    this.#inARow[kind] = 0;
  }

  /**
   * Records a technical failure.
   * @param lately operations and failures of the last minutes, since {@link closedAt}
   */
  failed(kind: FailureKind, sent: number, now: number, lately: { calls: number; failures: number }): void {
    if (this.#openSince !== null) {
      // An operation that was accepted before calls began to fail may fail at any time, so its end is not a probe.
      const isOfProbe = kind === 'calls' || this.#openedBy === 'ends';
      if (isOfProbe && this.#isProbe(sent)) this.#failedProbe(now);
      return;
    }
    this.#inARow[kind] += 1;
    const half = lately.calls >= FAILING_CALLS && lately.failures >= lately.calls * FAILING_SHARE;
    if (this.#inARow[kind] >= FAILURES_IN_A_ROW || half) this.#open(kind, now);
  }

  #forgetRows(): void {
    Object.assign(this.#inARow, { calls: 0, ends: 0 });
  }

  /**
   * Follows a clock that was set back: past times are limited to now, and the next probe to its maximum delay from now. Otherwise an
   * open circuit would stay open, whatever its probes show, until the clock has caught up.
   */
  #follow(now: number): void {
    if (this.#openSince !== null) this.#openSince = Math.min(this.#openSince, now);
    this.#closedAt = Math.min(this.#closedAt, now);
    for (const kind of ['calls', 'ends'] as const) this.#wentWell[kind] = Math.min(this.#wentWell[kind], now);
    this.#probeAt = Math.min(this.#probeAt, now + MAX_PROBE_MS);
  }

  /** Advances the time of the last change by at least 1 ms, so that two changes in one millisecond remain distinguishable. */
  #changed(now: number): void {
    this.#changedAt = Math.max(now, this.#changedAt + 1);
  }

  #open(kind: FailureKind, now: number): void {
    this.#openSince = now;
    this.#openedBy = kind;
    this.#changed(now);
    this.#wait_ms = PROBE_MS;
    this.#probeAt = now + PROBE_MS;
    this.#forgetRows();
  }

  /**
   * Returns whether a call counts as a probe. Calls already in progress when the circuit opened prove nothing new:
   * half of them may succeed during an outage.
   */
  #isProbe(sent: number): boolean {
    return this.#openSince !== null && sent - this.#openSince >= PROBE_MS;
  }

  #failedProbe(now: number): void {
    this.#wait_ms = Math.min(this.#wait_ms * 2, MAX_PROBE_MS);
    this.#probeAt = now + this.#wait_ms;
    this.#changed(now);
  }
}
