import type { Clock } from '../kit/clock.ts';
import type { Provider, Reading } from '../providers/contract.ts';
import { type Finding, ofReading } from './health/findings.ts';
import { type Figures, Lane } from './health/lane.ts';
import { measured, type Measured, type Observer, type Subject } from './health/measure.ts';
import { BUILT_IN, type Gate, type HealthNote, type HealthView, type Operation, type Standing } from './schema.ts';

/** Accounts times channels times operations; the one that was silent longest is forgotten first. About 10 MB. */
const MOST_LANES = 10_000;

export type Vital = Figures & Pick<Subject, 'account_id' | 'channel' | 'operation'>;

interface Entry {
  subject: Omit<Subject, 'call'>;
  lane: Lane;
}

/**
 * How well each account works on each channel for each operation, learned from what this process sends and kept in its
 * memory only: a process that has just started believes in everyone.
 */
export class Health implements HealthView, Observer {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The same provider, with every call measured. Not so the one that comes with the sandbox: it lives in this process, and
   * fails only because a test wants it to.
   */
  observe(provider: Provider): Provider {
    if (provider.account_id === BUILT_IN) return provider;
    return measured(provider, this, this.#clock);
  }

  /** A provider told us by itself what became of a collection: what a look would have brought. */
  heard(account_id: string, channel: string, news: Reading): void {
    const now = this.#clock.now();
    if (account_id !== BUILT_IN) this.report({ account_id, channel, operation: 'collect', call: 'read' }, ofReading(news), now);
  }

  /** How long the provider's callback took. @param delay_ms since the collection was handed over */
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

  /** The account was chosen while its circuit is open: this is the probe, and nobody else for a moment. */
  chosen(account_id: string, channel: string, operation: Operation): void {
    this.#lanes.get(nameOf(account_id, channel, operation))?.lane.chosen(this.#clock.now());
  }

  sending({ account_id, channel, operation }: Subject): void {
    this.#lanes.get(nameOf(account_id, channel, operation))?.lane.sending(this.#clock.now());
  }

  report({ call, ...subject }: Subject, finding: Finding, sent: number): void {
    const lane = this.#lane(subject);
    const now = this.#clock.now();
    if (call === 'start') lane.call(finding, sent, now);
    else lane.read(finding, sent, now);
  }

  /** Everything that is known, for whoever looks after the service. */
  snapshot(): Vital[] {
    const now = this.#clock.now();
    return [...this.#lanes.values()].map(({ subject, lane }) => ({ ...subject, ...lane.figures(now) }));
  }

  /** Put last again with each report, so that the first is always the one that was silent longest. */
  #lane(subject: Entry['subject']): Lane {
    const name = nameOf(subject.account_id, subject.channel, subject.operation);
    const entry = this.#lanes.get(name) ?? { subject, lane: new Lane(subject.operation !== 'refund') };
    this.#lanes.delete(name);
    if (this.#lanes.size >= MOST_LANES) this.#lanes.delete(this.#lanes.keys().next().value as string);
    this.#lanes.set(name, entry);
    return entry.lane;
  }
}

function nameOf(account_id: string, channel: string, operation: Measured): string {
  return `${account_id} ${channel} ${operation}`;
}
