import type { Clock } from '../kit/clock.ts';
import { AddressList } from '../kit/address-list.ts';
import { Remembered } from '../kit/remembered.ts';
import type { Queryable } from '../kit/sql.ts';
import { Throttle } from '../kit/throttle.ts';
import { hashKey, KEY_CACHE_MS } from './service.ts';
import { findKey, type KeyWithTeam } from './store.ts';

const MOST_KEYS = 10_000;
/**
 * Keys that this process does not know, from one address in a minute. Far above the 30 that the contract allows to be wrong,
 * because a good key from the same address has to get through.
 */
const MAX_UNKNOWN_A_MINUTE = 300;
/** Keys of which only the hash is kept, after they were found once. */
const MAX_FAMILIAR = 20_000;

/** A key with the list of places that it may be used from; empty: everywhere. */
export type FoundKey = KeyWithTeam & { places: AddressList };

/**
 * Finds keys by the SHA-256 of the presented value. What was found is believed for less than a second, so a key that
 * was revoked anywhere is refused everywhere soon after, and a burst of requests asks the database once.
 */
export class KeyRing {
  readonly #control: Queryable;
  readonly #clock: Clock;
  readonly #remembered: Remembered<FoundKey | undefined>;
  readonly #familiar = new Set<string>();
  readonly #guesses: Throttle;

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
    this.#remembered = new Remembered(clock, KEY_CACHE_MS, MOST_KEYS);
    this.#guesses = new Throttle(clock, MAX_UNKNOWN_A_MINUTE);
  }

  /** @returns undefined for a key that is unknown, revoked, inactive or expired */
  async find(presented: string): Promise<FoundKey | undefined> {
    const hash = hashKey(presented);
    const now = this.#clock.now();
    // An unknown key is not worth remembering: callers could fill the memory with them.
    const key = await this.#remembered.get(hash.toString('base64'), () => this.#look(hash), Boolean);
    const usable = key?.active && key.revoked_at === null && (key.expires_at === null || key.expires_at.getTime() > now);
    return usable ? key : undefined;
  }

  /**
   * Counts a key that this process has never found against who presents it, before the database is asked.
   * @returns seconds to wait, 0 when it may be looked up
   */
  waitFor(presented: string, subscriber: string): number {
    return this.#familiar.has(hashKey(presented).toString('base64')) ? 0 : this.#guesses.take(subscriber);
  }

  async #look(hash: Buffer): Promise<FoundKey | undefined> {
    const key = await findKey(this.#control, hash);
    if (key) this.#meet(hash.toString('base64'));
    return key && { ...key, places: new AddressList(key.allowed_ips) };
  }

  #meet(name: string): void {
    if (this.#familiar.size >= MAX_FAMILIAR) this.#familiar.clear();
    this.#familiar.add(name);
  }
}
