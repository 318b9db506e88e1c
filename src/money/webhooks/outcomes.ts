import type { Log } from '../../kit/log.ts';
import { logFailure } from '../../platform/work/failures.ts';
import type { Outcome } from './deliveries-store.ts';

const MAX_AT_ONCE = 500;
/** Outcomes within this time share a statement; nothing waits for it. */
const GATHER_MS = 10;
const ERROR_REST_MS = 500;
const LAST_TRIES = 3;

const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Waiting {
  outcome: Outcome;
  settled(): void;
}

/**
 * Collects delivery outcomes and records them in batches, one statement at a time. They are kept while the database is
 * unavailable. Outcomes lost with the process are delivered again when their leases end.
 */
export class Outcomes {
  readonly #record: (outcomes: Outcome[]) => Promise<void>;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #closing = false;

  constructor(record: (outcomes: Outcome[]) => Promise<void>, log: Log) {
    this.#record = record;
    this.#log = log;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds an outcome.
   * @returns a promise that resolves when it is recorded, or abandoned after {@link close}
   */
  add(outcome: Outcome): Promise<void> {
    return new Promise((settled) => {
      this.#waiting.push({ outcome, settled });
      this.#flushing ??= this.#flush();
    });
  }

  /** Stops waiting for further outcomes and gives up after a few attempts; outcomes added later are still recorded. */
  close(): void {
    this.#closing = true;
  }

  async #flush(): Promise<void> {
    let failures = 0;
    while (this.#waiting.length > 0) {
      if (!this.#closing && failures === 0 && this.#waiting.length < MAX_AT_ONCE) await rest(GATHER_MS);
      const batch = this.#waiting.splice(0, MAX_AT_ONCE);
      try {
        await this.#record(batch.map(({ outcome }) => outcome));
        failures = 0;
      } catch (err) {
        const outcomes = batch.length + this.#waiting.length;
        logFailure(this.#log, err, { outcomes }, 'webhook outcomes could not be recorded; they will be tried again');
        if (!this.#closing || ++failures < LAST_TRIES) {
          this.#waiting.unshift(...batch);
          await rest(ERROR_REST_MS);
          continue;
        }
      }
      for (const { settled } of batch) settled();
    }
    this.#flushing = null;
  }
}
