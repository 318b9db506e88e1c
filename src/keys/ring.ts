import type { Clock } from '../kit/clock.ts';
import { AddressList } from '../kit/address-list.ts';
import type { Queryable } from '../kit/sql.ts';
import { hashKey, KEY_CACHE_MS } from './service.ts';
import { findKey, type KeyWithTeam } from './store.ts';

const MOST_KEYS = 10_000;

/** A key with the list of places that it may be used from; empty: everywhere. */
export type FoundKey = KeyWithTeam & { places: AddressList };

interface Remembered {
  key: Promise<FoundKey | undefined>;
  until: number;
}

/**
 * Finds keys by the SHA-256 of the presented value. What was found is believed for less than a second, so a key that
 * was revoked anywhere is refused everywhere soon after, and a burst of requests asks the database once.
 */
export class KeyRing {
  readonly #control: Queryable;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();

  constructor(control: Queryable, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
  }

  /** @returns undefined for a key that is unknown, revoked, inactive or expired */
  async find(presented: string): Promise<FoundKey | undefined> {
    const hash = hashKey(presented);
    const name = hash.toString('base64');
    const now = this.#clock.now();
    let known = this.#remembered.get(name);
    // Later than can be: the machine's clock was set back, and what is known is older than it looks.
    if (!known || known.until <= now || known.until > now + KEY_CACHE_MS) {
      known = { key: this.#look(hash), until: now + KEY_CACHE_MS };
      this.#remember(name, known);
    }
    const key = await known.key;
    const usable = key?.active && key.revoked_at === null && (key.expires_at === null || key.expires_at.getTime() > now);
    return usable ? key : undefined;
  }

  async #look(hash: Buffer): Promise<FoundKey | undefined> {
    const key = await findKey(this.#control, hash);
    return key && { ...key, places: new AddressList(key.allowed_ips) };
  }

  #remember(name: string, entry: Remembered): void {
    if (this.#remembered.size >= MOST_KEYS) this.#remembered.clear();
    this.#remembered.set(name, entry);
    // A failed or empty lookup is not worth remembering: the first must be tried again, the second could fill the memory.
    entry.key.then(
      (key) => key ?? this.#remembered.delete(name),
      () => this.#remembered.delete(name),
    );
  }
}
