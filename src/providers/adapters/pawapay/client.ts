import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../kit/clock.ts';
import type { Send } from '../../../kit/fetch.ts';
import { type Reply, replyOf } from '../wire/reply.ts';
import { signedHeaders } from './signature.ts';

export interface Settings {
  base_url: string;
  api_token: string;
  /** Key that signs requests that move money, where the account requires signatures. Null: requests are not signed. */
  signing: { key: KeyObject; key_id: string } | null;
}

/** Operators are slow to accept a prompt. The timeout is well below one minute, when the core starts its own status check. */
const SUBMIT_MS = 20_000;
const READ_MS = 10_000;
/** A configuration with all operators has about 100 kB. */
const MAX_BYTES = 2_000_000;

/** HTTP client for one account. Never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #send: Send;
  readonly #clock: Clock;

  constructor(settings: Settings, send: Send, clock: Clock) {
    this.#settings = settings;
    this.#send = send;
    this.#clock = clock;
  }

  async get(path: string): Promise<Reply> {
    const request = { method: 'GET', url: this.#settings.base_url + path, headers: this.#headers() } as const;
    return replyOf(await this.#send({ ...request, guard: 'none', timeout_ms: READ_MS, max_bytes: MAX_BYTES }));
  }

  /** Posts a query, or a request that moves no money. */
  async query(path: string, body: object): Promise<Reply> {
    const request = {
      method: 'POST',
      url: this.#settings.base_url + path,
      headers: this.#headers(),
      body: JSON.stringify(body),
    } as const;
    return replyOf(await this.#send({ ...request, guard: 'none', timeout_ms: READ_MS, max_bytes: MAX_BYTES }));
  }

  /** Posts a request that moves money. It is signed where the account has a key. */
  async submit(path: string, body: object): Promise<Reply> {
    const { base_url, signing } = this.#settings;
    const url = base_url + path;
    const text = JSON.stringify(body);
    const headers = this.#headers();
    const signed = signing ? signedHeaders({ method: 'POST', url, headers, body: text }, signing, this.#clock.now()) : {};
    return replyOf(
      await this.#send({
        ...{ method: 'POST', url, body: text, guard: 'none', timeout_ms: SUBMIT_MS, max_bytes: MAX_BYTES },
        headers: { ...headers, ...signed },
      }),
    );
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.api_token}`, 'content-type': 'application/json' };
  }
}
