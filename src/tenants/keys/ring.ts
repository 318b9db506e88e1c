import type { Clock } from '../../kit/clock.ts';
import { AddressList } from '../../kit/address-list.ts';
import { Remembered } from '../../kit/remembered.ts';
import type { Queryable } from '../../kit/sql.ts';
import { Throttle } from '../../kit/throttle.ts';
import { hashKey, KEY_CACHE_MS, nameOfKey } from './service.ts';
import { findKey, type KeyWithTeam } from './store.ts';

const MAX_KEYS = 10_000;
/**
 * Maximum unknown keys from one address per minute. Far above the 30 failures that the contract allows, because a valid key
 * from the same address has to get through.
 */
const MAX_UNKNOWN_A_MINUTE = 300;
/** Maximum number of keys, by hash only, that count as known after they were found once. */
const MAX_FAMILIAR = 20_000;

/** A key with its list of allowed addresses; empty: any address. */
export type FoundKey = KeyWithTeam & { places: AddressList };

/**
 * Finds keys by the SHA-256 of the presented value. Results are cached for less than a second, so a revoked key is soon
 * rejected on every node, and a burst of requests queries the database once.
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
    this.#remembered = new Remembered(clock, KEY_CACHE_MS, MAX_KEYS);
    this.#guesses = new Throttle(clock, MAX_UNKNOWN_A_MINUTE);
  }

  /**
   * Finds a usable key.
   * @returns undefined for a key that is unknown, revoked, inactive or expired
   */
  async find(presented: string): Promise<FoundKey | undefined> {
    const now = this.#clock.now();
    // Unknown keys are not cached, because callers could fill the memory with them.
    const key = await this.#remembered.get(nameOfKey(presented), () => this.#look(presented), Boolean);
    const usable = key?.active && key.revoked_at === null && (key.expires_at === null || key.expires_at.getTime() > now);
    return usable ? key : undefined;
  }

  /**
   * Counts a key that this process has never found against its sender, before the database is queried.
   * @returns seconds to wait; 0 when it may be looked up
   */
  waitFor(presented: string, subscriber: string): number {
    return this.#familiar.has(nameOfKey(presented)) ? 0 : this.#guesses.take(subscriber);
  }

  async #look(presented: string): Promise<FoundKey | undefined> {
    const key = await findKey(this.#control, hashKey(presented));
    if (key) this.#meet(nameOfKey(presented));
    return key && { ...key, places: new AddressList(key.allowed_ips) };
  }

  #meet(name: string): void {
    if (this.#familiar.size >= MAX_FAMILIAR) this.#familiar.clear();
    this.#familiar.add(name);
  }
}
