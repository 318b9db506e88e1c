import type { Book, Draft, Entry } from './book.ts';
import type { CallbackSender } from './callbacks.ts';
import type { Fault, Faults, Manner } from './faults.ts';
import type { Timers } from './timers.ts';

/** The final result of an operation, in the provider's codes. */
export interface Ending {
  state: 'succeeded' | 'failed';
  /** The provider's code or text for the failure. */
  word: string | null;
  /**
   * Time until the result, in multiples of the simulator's delay: 1 is the default, 2 an expired prompt. `stuck`: only
   * after a call of `recover`.
   */
  after: number | 'stuck';
}

export const SUCCEEDS: Ending = { state: 'succeeded', word: null, after: 1 };

/** Returns a failure with the provider's code or text. `after`: time until the result, in multiples of the delay. */
export function failsWith(word: string, after = 1): Ending {
  return { state: 'failed', word, after };
}

/** Creates operations and completes them. */
export class Operations {
  readonly #book: Book;
  readonly #faults: Faults;
  readonly #timers: Timers;
  readonly #callbacks: CallbackSender;
  readonly #delay_ms: number;
  readonly #lag_ms: number;
  readonly #stuck = new Map<Entry, Ending>();
  #under_way = 0;

  constructor(parts: {
    book: Book;
    faults: Faults;
    timers: Timers;
    callbacks: CallbackSender;
    delay_ms: number;
    lag_ms: number;
  }) {
    this.#book = parts.book;
    this.#faults = parts.faults;
    this.#timers = parts.timers;
    this.#callbacks = parts.callbacks;
    this.#delay_ms = parts.delay_ms;
    this.#lag_ms = parts.lag_ms;
  }

  /** Number of operations in progress, without those that are stuck. */
  get under_way(): number {
    return this.#under_way;
  }

  /** Creates an entry. For an early callback, returns only after the callback was sent. */
  async create(draft: Draft, ending: Ending, fault: Fault): Promise<Entry> {
    const entry = this.#book.add(draft);
    const manner = this.#faults.nextManner(namesOf(draft));
    if (fault === 'lagging') entry.visible_at += this.#lag_ms;
    if (fault === 'stuck' || ending.after === 'stuck') {
      entry.stuck = true;
      this.#stuck.set(entry, ending);
    } else if (manner === 'early') {
      await this.#finish(entry, ending, manner);
    } else {
      this.#later(entry, ending, this.#delay_ms * ending.after, manner);
    }
    return entry;
  }

  /** Sends the callback of a completed operation once more. */
  announce(entry: Entry): void {
    void this.#callbacks.announce(entry, 'once');
  }

  /** Sends a callback for a pending operation. */
  interim(entry: Entry): void {
    void this.#callbacks.interim(entry);
  }

  /** Completes an operation early, such as a payout that is cancelled manually. */
  async complete(entry: Entry, ending: Ending): Promise<void> {
    await this.#finish(entry, ending, this.#faults.nextManner(namesOf(entry)));
  }

  /** Resumes stuck operations and shows hidden ones. */
  recover(): void {
    for (const entry of this.#book.entries()) entry.visible_at = Math.min(entry.visible_at, Date.now());
    for (const [entry, ending] of this.#stuck) {
      entry.stuck = false;
      this.#later(entry, ending, this.#delay_ms, this.#faults.nextManner(namesOf(entry)));
    }
    this.#stuck.clear();
  }

  #later(entry: Entry, ending: Ending, ms: number, manner: Manner): void {
    this.#under_way++;
    this.#timers.after(ms, () => {
      void this.#finish(entry, ending, manner).finally(() => this.#under_way--);
    });
  }

  async #finish(entry: Entry, { state, word }: Ending, manner: Manner): Promise<void> {
    if (entry.state !== 'pending') return;
    this.#stuck.delete(entry);
    entry.stuck = false;
    this.#book.settle(entry, state, word);
    await this.#callbacks.announce(entry, manner);
  }
}

function namesOf({ key, msisdn }: Draft): string[] {
  return [key, msisdn];
}
