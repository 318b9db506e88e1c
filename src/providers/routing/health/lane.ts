import type { Gate, HealthNote, Standing } from '../schema.ts';
import { Breaker, type CircuitReport, type FailureKind, isCircuitReport } from './breaker.ts';
import type { Finding } from './findings.ts';
import { Window, WINDOW_MS } from './window.ts';

/**
 * Minimum number of failures, and minimum share of the calls, for an account to count as degraded. One slow response
 * is not enough.
 */
const DEGRADED_FAILURES = 3;
const DEGRADED_SHARE = 0.1;
/** Weight of the newest value in a moving average: about the last ten values determine it. */
const NEWEST = 0.2;
/** Maximum age of a cached snapshot. A busy router reads it thousands of times a second. */
const NOTE_MS = 1_000;
/** Number of the latest results that are recognised when they are reported again. */
const KNOWN_ENDS = 64;

/** Measurements of one account on one channel for one operation. */
export interface Figures extends HealthNote {
  /** Share of completed operations that succeeded. A payer's decline counts as unsuccessful. */
  success_share: number | null;
  reads: number;
  unreadable: number;
  latency_ms: number | null;
  /** Moving average of the time from submission to the provider's callback. */
  callback_delay_ms: number | null;
}

const SHARED = ['calls', 'failures', 'succeeded', 'unsuccessful'] as const;

/** Report of a node to the others: the counts of its last ten minutes, and the state of the circuit. */
export interface LaneReport {
  counts: Record<(typeof SHARED)[number], number>;
  circuit: CircuitReport | null;
}

/** Returns whether a report of another node, which may run another release, can be read. */
export function isLaneReport(body: object): body is LaneReport {
  const { counts, circuit } = body as Partial<LaneReport>;
  const counted = SHARED.every((name) => Number.isSafeInteger(counts?.[name]) && (counts?.[name] as number) >= 0);
  return counted && (circuit === null || isCircuitReport(circuit));
}

/** The health of one account on one channel for one operation. */
export class Lane {
  readonly #window = new Window();
  readonly #breaker: Breaker | null;
  /** Ids of the operations whose results were counted last. */
  readonly #ends: string[] = [];
  #latency_ms: number | null = null;
  #callback_delay_ms: number | null = null;
  #note: HealthNote | null = null;
  #notedAt = 0;
  /** Counts of other nodes, and the time until which they are used. */
  readonly #others = new Map<string, { counts: LaneReport['counts']; until: number }>();

  /**
   * @param breaks false for operations that are never routed and so have no circuit: a refund goes to the account of
   * its payment
   */
  constructor(breaks: boolean) {
    this.#breaker = breaks ? new Breaker() : null;
  }

  get isOpen(): boolean {
    return this.#breaker !== null && this.#breaker.openSince !== null;
  }

  /** Returns what this node has counted, for other nodes. */
  report(now: number): LaneReport {
    const { calls, failures, succeeded, unsuccessful } = this.#window.totals(now);
    return { counts: { calls, failures, succeeded, unsuccessful }, circuit: this.#breaker?.report() ?? null };
  }

  /**
   * Takes over the report of another node.
   * @param age_ms time since the report was made
   */
  learn(node: string, { counts, circuit }: LaneReport, now: number, age_ms: number): void {
    this.#others.set(node, { counts, until: now + WINDOW_MS - Math.max(0, age_ms) });
    if (circuit) this.#breaker?.adopt(circuit, now);
    this.#note = null;
  }

  gate(now: number): Gate {
    return this.#breaker?.gate(now) ?? 'closed';
  }

  chosen(now: number): void {
    this.#breaker?.chosen(now);
  }

  sending(now: number): void {
    this.#breaker?.sending(now);
  }

  /** Records a submission. */
  call(id: string, finding: Finding, sent: number, now: number): void {
    this.#window.count('calls', now);
    this.#window.latency(now - sent, now);
    this.#latency_ms = moved(this.#latency_ms, now - sent);
    if (finding.ended !== null && !this.#isKnownEnd(id)) this.#end(finding, now);
    if (finding.failed) this.#fail('calls', sent, now);
    else {
      this.#breaker?.well('calls', sent, now);
      if (finding.reached) this.#breaker?.well('ends', sent, now);
    }
    this.#note = null;
  }

  /**
   * Records a status read, or the status in a callback.
   * @param id id of the operation. A result that is reported again, for example by a callback after a poll, counts once
   * @param submitted when the operation was submitted. One from before an outage proves nothing about the end of the outage
   */
  read(id: string, finding: Finding, submitted: number, now: number): void {
    this.#window.count('reads', now);
    if (finding.unreadable) this.#window.count('unreadable', now);
    this.#note = null;
    if (finding.ended === null || this.#isKnownEnd(id)) return;
    this.#end(finding, now);
    // An operation that was accepted and failed later because of an operator problem counts as a failure. Outages behind
    // an aggregator show in this way.
    if (finding.failed) this.#fail('ends', submitted, now);
    else if (finding.reached) this.#breaker?.well('ends', submitted, now);
  }

  #isKnownEnd(id: string): boolean {
    if (this.#ends.includes(id)) return true;
    this.#ends.push(id);
    if (this.#ends.length > KNOWN_ENDS) this.#ends.shift();
    return false;
  }

  callback(delay_ms: number): void {
    this.#callback_delay_ms = moved(this.#callback_delay_ms, delay_ms);
  }

  standing(now: number): Standing {
    return this.note(now).standing;
  }

  note(now: number): HealthNote {
    if (this.#note === null || now - this.#notedAt >= NOTE_MS || now < this.#notedAt) {
      this.#note = this.#noteNow(now);
      this.#notedAt = now;
    }
    return this.#note;
  }

  figures(now: number): Figures {
    const { reads, unreadable } = this.#window.totals(now);
    const { succeeded, unsuccessful } = this.#everywhere(now);
    const ended = succeeded + unsuccessful;
    return {
      ...this.#noteNow(now),
      success_share: ended === 0 ? null : succeeded / ended,
      reads,
      unreadable,
      latency_ms: this.#latency_ms === null ? null : Math.round(this.#latency_ms),
      callback_delay_ms: this.#callback_delay_ms === null ? null : Math.round(this.#callback_delay_ms),
    };
  }

  #end({ ended }: Finding, now: number): void {
    if (ended !== null) this.#window.count(ended, now);
  }

  /**
   * Records a failure. Only the calls of this node count: those of a node whose own connection is broken would open the circuit of all. A node
   * that only reads uses the number of results as the number of calls.
   */
  #fail(kind: FailureKind, sent: number, now: number): void {
    this.#window.count('failures', now);
    if (!this.#breaker) return;
    const { calls, failures, succeeded, unsuccessful } = this.#window.totals(now, this.#breaker.closedAt);
    this.#breaker.failed(kind, sent, now, { calls: Math.max(calls, succeeded + unsuccessful), failures });
  }

  /** Returns the counts of all nodes. */
  #everywhere(now: number): LaneReport['counts'] {
    const { counts } = this.report(now);
    for (const [node, other] of this.#others) {
      if (other.until < now) this.#others.delete(node);
      else for (const name of SHARED) counts[name] += other.counts[name];
    }
    return counts;
  }

  #noteNow(now: number): HealthNote {
    const { p95_ms } = this.#window.totals(now);
    const { calls: sent, failures } = this.#everywhere(now);
    // Calls that were sent before the window may have failed within it.
    const calls = Math.max(sent, failures);
    const since = this.#breaker?.openSince ?? null;
    const degraded = failures >= DEGRADED_FAILURES && failures >= calls * DEGRADED_SHARE;
    const standing = since !== null ? 'down' : degraded ? 'degraded' : 'operational';
    return { standing, calls, failures, p95_ms, ...(since === null ? {} : { open_since: new Date(since).toISOString() }) };
  }
}

function moved(average: number | null, newest: number): number {
  return average === null ? newest : average + NEWEST * (newest - average);
}
