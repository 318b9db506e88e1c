import { type Entry, stateOf } from './book.ts';
import type { Random } from './contract.ts';
import type { Traits } from './handler.ts';

/** The code that the operator sent to a payer; any other is wrong. */
export const RIGHT_CODE = '123456';
export const WRONG_CODE = '000000';

/** How long a payer has for a one-time code. */
const CODE_MS = 600_000;
/** From the code to the end of the collection, where the provider does not end it at once. */
const TAKEN_MS = 5_000;

/** What a provider answers to a code that reached it. */
export type CodeAnswer = 'accepted' | 'succeeded' | 'refused' | 'duplicate';

/** Collections that wait for the one-time code of their payer, and what was answered to the codes that came. */
export class Codes {
  readonly #waiting = new Map<Entry, Entry['end']>();
  readonly #first = new Map<Entry, CodeAnswer>();

  /** Without its code a collection ends unpaid. */
  await(entry: Entry, now: number): void {
    this.#waiting.set(entry, entry.end);
    Object.assign(entry, { end: 'expired', ends_at: now + CODE_MS, late_at: null });
  }

  /** Whether the collection waits for a code that may still come. */
  isAwaited(entry: Entry): boolean {
    return this.#waiting.has(entry);
  }

  /** A code has come. Only a provider that repeats its first answer judges by it what came before or comes after. */
  take(entry: Entry, code: string, { idempotency }: Traits, random: Random, now: number): CodeAnswer {
    const first = this.#first.get(entry);
    if (first !== undefined && idempotency === 'replays') return first;
    const answer = this.#judge(entry, code, idempotency, random, now);
    if (first === undefined) this.#first.set(entry, answer);
    return answer;
  }

  #judge(entry: Entry, code: string, idempotency: Traits['idempotency'], random: Random, now: number): CodeAnswer {
    const end = this.#waiting.get(entry);
    // A code was taken before. Some look at the code before they look for the key: it was used, so they turn it away.
    if (end === undefined) return random.pick(idempotency === 'conflicts' ? ['duplicate', 'refused'] : ['accepted', 'refused']);
    if (stateOf(entry, now) !== 'pending') return 'refused';
    if (code !== RIGHT_CODE) {
      // Some take another code after a wrong one.
      if (idempotency === 'replays' || random.chance(0.5)) this.#end(entry, 'failed', now);
      return 'refused';
    }
    const at_once = random.chance(0.3);
    this.#end(entry, end, now + (at_once ? 0 : TAKEN_MS));
    if (at_once && end === 'succeeded') return 'succeeded';
    if (at_once && end === 'failed') return 'refused';
    return random.chance(0.3) ? 'duplicate' : 'accepted';
  }

  #end(entry: Entry, end: Entry['end'], ends_at: number): void {
    this.#waiting.delete(entry);
    Object.assign(entry, { end, ends_at });
  }

  /** No code comes any more. */
  settle(now: number): void {
    for (const entry of this.#waiting.keys()) Object.assign(entry, { end: 'expired', ends_at: now, late_at: null });
    this.#waiting.clear();
  }
}
