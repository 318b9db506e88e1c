import type { Clock } from '../../kit/clock.ts';
import type { Topic } from '../../platform/nodes/nodes.ts';
import type { ForeignReport } from '../../platform/nodes/reports-store.ts';
import type { Provider, Reading } from '../adapters/contract.ts';
import { type Finding, ofReading } from './health/findings.ts';
import { type Figures, isLaneReport, Lane, type LaneReport } from './health/lane.ts';
import { MEASURED, measured, type Measured, type Observer, type Subject } from './health/measure.ts';
import { BUILT_IN, type Gate, type HealthNote, type HealthView, type Operation, type Standing } from './schema.ts';

/**
 * Maximum number of measured combinations of account, channel and operation, about 10 MB. The least recently used is
 * evicted first.
 */
const MAX_LANES = 10_000;
/** Interval at which counts are reported to other nodes. A circuit is reported with the next exchange. */
const REPORT_COUNTS_MS = 2_000;
/** Maximum lanes in one exchange. */
const MAX_REPORTED = 500;

/** The attempt to which a callback refers. */
export interface ReportedAttempt {
  id: string;
  channel: string;
  submitted_at: Date | null;
}

export type Vital = Figures & Pick<Subject, 'account_id' | 'channel' | 'operation'>;

interface Entry {
  subject: Omit<Subject, 'call' | 'id' | 'submitted_at'>;
  lane: Lane;
}

/**
 * Measures the health of each account on each channel for each operation, from the calls of all nodes. Each node reports its own to
 * the others. When one opens or closes a circuit, the others do the same within 0.8 s (platform/nodes).
 */
export class Health implements HealthView, Observer, Topic {
  readonly name = 'provider';
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Entry>();
  /** Names of the lanes to be reported: those whose circuit may have changed, and those with new counts. */
  readonly #circuits = new Set<string>();
  readonly #counts = new Set<string>();
  #reportedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the provider with every call measured. The sandbox's built-in provider is not measured: it runs in this
   * process and fails only when a test requires it.
   */
  observe(provider: Provider): Provider {
    if (provider.account_id === BUILT_IN) return provider;
    return measured(provider, this, this.#clock);
  }

  /** Records the result of a collection that a callback reported, like the result of a status read. */
  recordReading(account_id: string, attempt: ReportedAttempt, update: Reading): void {
    const now = this.#clock.now();
    const { channel, id, submitted_at } = attempt;
    const subject = {
      account_id,
      channel,
      operation: 'collect',
      call: 'read',
      id,
      submitted_at: submitted_at?.getTime() ?? null,
    } as const;
    if (account_id !== BUILT_IN) this.report(subject, ofReading(update), now);
  }

  /**
   * Records the delay of a provider's callback.
   * @param delay_ms since the collection was submitted
   */
  callback(account_id: string, channel: string, delay_ms: number): void {
    if (account_id !== BUILT_IN) this.#lane({ account_id, channel, operation: 'collect' }).callback(delay_ms);
  }

  standing(account_id: string, channel: string, operation: Measured): Standing {
    return this.#lanes.get(nameOf(account_id, channel, operation))?.lane.standing(this.#clock.now()) ?? 'operational';
  }

  look(account_id: string, channel: string, operation: Operation): { gate: Gate; note: HealthNote } | null {
    const lane = this.#lanes.get(nameOf(account_id, channel, operation))?.lane;
    const now = this.#clock.now();
    return lane ? { gate: lane.gate(now), note: lane.note(now) } : null;
  }

  /**
   * Records that the account was chosen while its circuit is open. This request is the probe, and no other is sent for
   * a moment.
   */
  chosen(account_id: string, channel: string, operation: Operation): void {
    const name = nameOf(account_id, channel, operation);
    this.#lanes.get(name)?.lane.chosen(this.#clock.now());
    this.#circuits.add(name);
  }

  sending({ account_id, channel, operation }: Subject): void {
    const name = nameOf(account_id, channel, operation);
    const lane = this.#lanes.get(name)?.lane;
    lane?.sending(this.#clock.now());
    if (lane?.isOpen) this.#circuits.add(name);
  }

  report({ call, id, submitted_at, ...subject }: Subject, finding: Finding, sent: number): void {
    const lane = this.#lane(subject);
    const now = this.#clock.now();
    const name = nameOf(subject.account_id, subject.channel, subject.operation);
    const wasOpen = lane.isOpen;
    if (call === 'start') lane.call(id, finding, sent, now);
    else lane.read(id, finding, submitted_at ?? sent, now);
    if (wasOpen || lane.isOpen) this.#circuits.add(name);
    else this.#counts.add(name);
  }

  changes(): { key: string; body: LaneReport }[] {
    const now = this.#clock.now();
    const withCounts = now - this.#reportedAt >= REPORT_COUNTS_MS || now < this.#reportedAt;
    if (withCounts) this.#reportedAt = now;
    // A set, because a lane may be in both.
    const names = new Set([...this.#circuits, ...(withCounts ? this.#counts : [])]);
    return [...names].slice(0, MAX_REPORTED).flatMap((key) => {
      this.#circuits.delete(key);
      this.#counts.delete(key);
      const lane = this.#lanes.get(key)?.lane;
      return lane ? [{ key, body: lane.report(now) }] : [];
    });
  }

  undo(changes: readonly { key: string }[]): void {
    for (const { key } of changes) this.#circuits.add(key);
  }

  learn({ node, key, body, age_ms }: ForeignReport): void {
    const lane = this.#lanes.get(key)?.lane ?? this.#newLane(key);
    if (lane && isLaneReport(body)) lane.learn(node, body, this.#clock.now(), age_ms);
  }

  /** Returns a new lane for a report of another node; undefined when it would evict one that this node measures, or the key is invalid. */
  #newLane(key: string): Lane | undefined {
    const [account_id = '', channel = '', operation = ''] = key.split(' ');
    if (this.#lanes.size >= MAX_LANES || !isMeasured(operation)) return undefined;
    return this.#lane({ account_id, channel, operation });
  }

  /** Returns all measurements, for operators. */
  snapshot(): Vital[] {
    const now = this.#clock.now();
    return [...this.#lanes.values()].map(({ subject, lane }) => ({ ...subject, ...lane.figures(now) }));
  }

  /** Returns a lane and moves it to the end, so that the first lane is always the least recently used. */
  #lane(subject: Entry['subject']): Lane {
    const name = nameOf(subject.account_id, subject.channel, subject.operation);
    const entry = this.#lanes.get(name) ?? { subject, lane: new Lane(subject.operation !== 'refund') };
    this.#lanes.delete(name);
    if (this.#lanes.size >= MAX_LANES) this.#lanes.delete(this.#lanes.keys().next().value as string);
    this.#lanes.set(name, entry);
    return entry.lane;
  }
}

function nameOf(account_id: string, channel: string, operation: Measured): string {
  return `${account_id} ${channel} ${operation}`;
}

function isMeasured(operation: string): operation is Measured {
  return (MEASURED as readonly string[]).includes(operation);
}
