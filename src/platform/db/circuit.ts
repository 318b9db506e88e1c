import type { Log } from '../../kit/log.ts';
import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';

/** Consecutive failures to obtain a connection that open the circuit. */
const FAILURES_IN_A_ROW = 5;
/** Pause between trials: a database that is back is used again within a second. */
const TRIAL_EVERY_MS = 500;

/** Closed: every caller passes. Open: none does. Half-open: one trial is running, and no caller passes. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** Receives an error or a result. */
export type Done<T> = (error: Error | undefined, made?: T) => void;

/** No connection was tried, because the last ones failed. */
export class CircuitOpen extends DatabaseUnavailable {}

/**
 * Circuit breaker of one database. While it is open, callers get an error at once, also those that already wait for a
 * connection. The circuit makes the trials itself, one at a time, so that no request has to be one.
 */
export class Circuit {
  readonly #name: string;
  readonly #trial: () => Promise<void>;
  readonly #counts: (error: DatabaseUnavailable) => boolean;
  readonly #log: Log;
  readonly #waiting = new Set<(error: CircuitOpen) => void>();
  #state: CircuitState = 'closed';
  #failures = 0;
  #cause: Error = new Error('the circuit is open');
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param trial resolves when a connection can be used; has a deadline
   * @param counts returns whether a failure to obtain a connection means that all would fail
   */
  constructor(name: string, trial: () => Promise<void>, log: Log, counts = (_error: DatabaseUnavailable) => true) {
    this.#name = name;
    this.#trial = trial;
    this.#log = log;
    this.#counts = counts;
  }

  get state(): CircuitState {
    return this.#state;
  }

  /**
   * Obtains a connection. It uses callbacks because it runs for each statement, and promises would cost as much as the pool itself.
   * @param unused takes back a connection that came after the circuit opened
   * @param done gets CircuitOpen at once while the circuit is not closed
   */
  run<T>(connect: (done: Done<T>) => void, unused: (late: T) => void, done: Done<T>): void {
    if (this.#state !== 'closed') {
      done(new CircuitOpen(this.#cause));
      return;
    }
    let isOver = false;
    const reject = (error: CircuitOpen) => {
      isOver = true;
      done(error);
    };
    this.#waiting.add(reject);
    connect((error, made) => {
      this.#waiting.delete(reject);
      if (error) this.#failed(error);
      else this.#failures = 0;
      if (!isOver) done(error, made);
      else if (made !== undefined) unused(made);
    });
  }

  /** Ends the trials. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #failed(error: Error): void {
    if (!(error instanceof DatabaseUnavailable) || this.#state !== 'closed' || this.#closed || !this.#counts(error)) return;
    this.#failures += 1;
    if (this.#failures < FAILURES_IN_A_ROW) return;
    this.#cause = error;
    this.#state = 'open';
    this.#log.warn({ err: error, database: this.#name, circuit: 'open' }, 'the circuit of a database opened');
    for (const reject of this.#waiting) reject(new CircuitOpen(error));
    this.#waiting.clear();
    this.#later();
  }

  #later(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#try(), TRIAL_EVERY_MS).unref();
  }

  async #try(): Promise<void> {
    this.#state = 'half-open';
    try {
      await this.#trial();
      this.#state = 'closed';
      this.#failures = 0;
      this.#log.info({ database: this.#name, circuit: 'closed' }, 'the circuit of a database closed');
    } catch {
      this.#state = 'open';
      this.#later();
    }
  }
}
