import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Clock, hasCome } from '../../../kit/clock.ts';
import { fieldsOf, listOf } from '../wire/reply.ts';
import type { Client } from './client.ts';

/**
 * Minimum interval between fetches. Callbacks are unauthenticated until verified, so unknown key ids must not cause
 * more requests.
 */
const FETCH_EVERY_MS = 60_000;

/** Cache of the public keys with which pawaPay signs callbacks, by key id. */
export class PublicKeys {
  readonly #client: Client;
  readonly #clock: Clock;
  #keys = new Map<string, KeyObject>();
  #fetch_next_at = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns a cached key. An unknown key is fetched in the background for the next callback, so the call never waits. */
  get(id: string): KeyObject | undefined {
    const key = this.#keys.get(id);
    if (!key && hasCome(this.#fetch_next_at, this.#clock.now(), FETCH_EVERY_MS)) {
      this.#fetch_next_at = this.#clock.now() + FETCH_EVERY_MS;
      void this.#fetch();
    }
    return key;
  }

  async #fetch(): Promise<void> {
    const reply = await this.#client.get('/v2/public-key/http');
    if (reply.kind !== 'answered' || reply.status !== 200) return;
    const keys = new Map<string, KeyObject>();
    for (const entry of listOf(reply.body)) {
      const { id, key } = fieldsOf(entry);
      const parsed = typeof id === 'string' && typeof key === 'string' ? publicKeyOf(key) : null;
      if (parsed) keys.set(id as string, parsed);
    }
    if (keys.size > 0) this.#keys = keys;
  }
}

/** Parses a public key in PEM, or in the bare base64 of its body. Returns null when it is invalid. */
function publicKeyOf(text: string): KeyObject | null {
  try {
    const pem = text.includes('-----BEGIN') ? text : `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----`;
    return createPublicKey(pem);
  } catch {
    return null;
  }
}
