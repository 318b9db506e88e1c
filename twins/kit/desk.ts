import type { Book, Draft, Entry } from './book.ts';
import type { Announcer } from './callbacks.ts';
import type { Fault, Faults, Manner } from './faults.ts';
import type { Timers } from './timers.ts';

/** How something will end, in the provider's words. */
export interface Ending {
  state: 'succeeded' | 'failed';
  /** The provider's word for why it failed. */
  word: string | null;
  /** In delays of the twin: 1 is the usual one, 2 a prompt that runs out. `stuck`: only when someone calls `recover`. */
  after: number | 'stuck';
}

export const SUCCEEDS: Ending = { state: 'succeeded', word: null, after: 1 };

export function failsWith(word: string, after = 1): Ending {
  return { state: 'failed', word, after };
}

/** Takes things in, and brings them to their end. */
export class Desk {
  readonly #book: Book;
  readonly #faults: Faults;
  readonly #timers: Timers;
  readonly #announcer: Announcer;
  readonly #delay_ms: number;
  readonly #lag_ms: number;
  readonly #stuck = new Map<Entry, Ending>();
  #under_way = 0;

  constructor(parts: { book: Book; faults: Faults; timers: Timers; announcer: Announcer; delay_ms: number; lag_ms: number }) {
    this.#book = parts.book;
    this.#faults = parts.faults;
    this.#timers = parts.timers;
    this.#announcer = parts.announcer;
    this.#delay_ms = parts.delay_ms;
    this.#lag_ms = parts.lag_ms;
  }

  /** Things that have not come to their end, other than those that are stuck. */
  get under_way(): number {
    return this.#under_way;
  }

  /** Creates an entry; where its outcome is announced early, it comes back only after that. */
  async take(draft: Draft, ending: Ending, fault: Fault): Promise<Entry> {
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

  /** Announces once more what became of something. */
  announce(entry: Entry): void {
    void this.#announcer.announce(entry, 'once');
  }

  /** Announces that something is still under way. */
  interim(entry: Entry): void {
    void this.#announcer.interim(entry);
  }

  /** Ends something before its time, such as a payout that is cancelled by hand. */
  async end(entry: Entry, ending: Ending): Promise<void> {
    await this.#finish(entry, ending, this.#faults.nextManner(namesOf(entry)));
  }

  /** What is stuck goes on and what is hidden shows. */
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
    await this.#announcer.announce(entry, manner);
  }
}

function namesOf({ key, msisdn }: Draft): string[] {
  return [key, msisdn];
}
