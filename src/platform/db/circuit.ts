import type { Log } from '../../kit/log.ts';
import { DatabaseUnavailable } from '../../kit/database-unavailable.ts';

/** Consecutive failures to obtain a connection that open the circuit. */
const FAILURES_IN_A_ROW = 5;
/** Pause between trials: a database that is back is used again within a second. */
const TRIAL_EVERY_MS = 500;

/** Closed: every caller passes. Open: none does. Half-open: one trial is running, and no caller passes. */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** No connection was tried, because the last ones failed. */
export class CircuitOpen extends DatabaseUnavailable {}

/**
 * Circuit breaker of one database. While it is open, callers get an error at once, also those that already wait for a
 * connection. The circuit makes the trials itself, one at a time, so that no request has to be one.
 */
export class Circuit {
  readonly #name: string;
  readonly #trial: () => Promise<void>;
  readonly #log: Log;
  readonly #waiting = new Set<(error: CircuitOpen) => void>();
  #state: CircuitState = 'closed';
  #failures = 0;
  #cause: Error = new Error('the circuit is open');
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param trial resolves when a connection can be used; has a deadline */
  constructor(name: string, trial: () => Promise<void>, log: Log) {
    this.#name = name;
    this.#trial = trial;
    this.#log = log;
  }

  get state(): CircuitState {
    return this.#state;
  }

  /**
   * Obtains a connection.
   * @param unused takes back a connection that came too late
   * @throws CircuitOpen at once while the circuit is not closed
   */
  async run<T>(connect: () => Promise<T>, unused: (late: T) => void): Promise<T> {
    if (this.#state !== 'closed') throw new CircuitOpen(this.#cause);
    const opened = Promise.withResolvers<never>();
    this.#waiting.add(opened.reject);
    let left = false;
    const connecting = connect().then((made) => {
      this.#failures = 0;
      if (left) unused(made);
      return made;
    });
    try {
      return await Promise.race([connecting, opened.promise]);
    } catch (error) {
      left = true;
      connecting.catch(() => {});
      this.#failed(error);
      throw error;
    } finally {
      this.#waiting.delete(opened.reject);
    }
  }

  /** Ends the trials. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #failed(error: unknown): void {
    if (!(error instanceof DatabaseUnavailable) || this.#state !== 'closed' || this.#closed) return;
    this.#failures += 1;
    if (this.#failures < FAILURES_IN_A_ROW) return;
    this.#cause = error;
    this.#state = 'open';
    this.#log.warn({ err: error, database: this.#name, circuit: 'open' }, 'the circuit of a database opened');
    for (const reject of this.#waiting) reject(new CircuitOpen(error));
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
