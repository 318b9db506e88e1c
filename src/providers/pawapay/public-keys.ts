import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../kit/clock.ts';
import { fieldsOf, listOf } from '../wire/reply.ts';
import type { Client } from './client.ts';

/** Callbacks are open to the world: whatever they name, pawaPay is asked at most this often. */
const FETCH_EVERY_MS = 60_000;

/** The keys pawaPay signs callbacks with, by their ids. */
export class PublicKeys {
  readonly #client: Client;
  readonly #clock: Clock;
  #keys = new Map<string, KeyObject>();
  #fetch_next_at = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Never waits: a key that is not known is fetched for next time. */
  get(id: string): KeyObject | undefined {
    const key = this.#keys.get(id);
    if (!key && this.#clock.now() >= this.#fetch_next_at) {
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

/** In PEM, or the bare base64 between its lines. */
function publicKeyOf(text: string): KeyObject | null {
  try {
    const pem = text.includes('-----BEGIN') ? text : `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----`;
    return createPublicKey(pem);
  } catch {
    return null;
  }
}
