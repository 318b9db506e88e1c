import { createHash } from 'node:crypto';
import type { Tools } from '../connector.ts';
import type { PollPlan } from '../contract.ts';
import { type Reply, replyOf } from '../wire/reply.ts';
import { bearerOf, isUnauthorised, type Minted, Tokens } from '../wire/tokens.ts';

export interface Settings {
  base_url: string;
  /** Path of the token endpoint: `/oauth/v3/token`. */
  token_path: string;
  client_id: string;
  client_secret: string;
  /** Headers added to every call besides the token. */
  headers?: Record<string, string>;
}

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

/** A call that includes a token renewal ends before one minute has passed, when the core starts its own status check. */
const CALL_MS = 20_000;
const TOKEN_MS = 8_000;
const MAX_BYTES = 64_000;

/** A prompt expires after some minutes, a payment link after ten. Orange publishes no rate limit for status calls. */
export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, max_ms: 300_000 };

/** The period in which a submitted request may still be in transit. No prompt and no link is valid for longer. */
export const GRACE_MS = 600_000;

const MAX_ORDER_ID = 30;

/** Returns the order_id derived from one of our ids: unique for the merchant, and at most 30 characters. */
export function orderIdOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, MAX_ORDER_ID);
}

/** HTTP client for one account at either of Orange's APIs. Its calls are authenticated and never throw. */
export class Client {
  readonly #settings: Settings;
  readonly #send: Tools['send'];
  readonly #tokens: Tokens;

  constructor(settings: Settings, { send, clock }: Tools) {
    this.#settings = settings;
    this.#send = send;
    this.#tokens = new Tokens(() => this.#mint(), clock);
  }

  call(request: Request): Promise<Reply> {
    return this.#tokens.use((token) => this.#authorised(token, request), isUnauthorised);
  }

  async #authorised(token: string, { method, path, body }: Request): Promise<Reply> {
    const result = await this.#send({
      ...{ method, url: this.#settings.base_url + path, guard: 'none', timeout_ms: CALL_MS, max_bytes: MAX_BYTES },
      headers: {
        ...this.#settings.headers,
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return replyOf(result);
  }

  async #mint(): Promise<Minted> {
    const { base_url, token_path, client_id, client_secret } = this.#settings;
    const result = await this.#send({
      ...{ method: 'POST', url: base_url + token_path, guard: 'none', timeout_ms: TOKEN_MS, max_bytes: MAX_BYTES },
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
    });
    return bearerOf(replyOf(result));
  }
}
