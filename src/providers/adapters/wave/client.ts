import type { Tools } from '../connector.ts';
import { type Reply, replyOf } from '../wire/reply.ts';
import { signatureOf } from './signature.ts';

export interface Settings {
  base_url: string;
  api_key: string;
  /** Null: the key does not require signed requests. */
  signing_secret: string | null;
}

export interface Request {
  method: 'GET' | 'POST';
  /** Path, including the query. */
  path: string;
  body?: object;
  /** Key by which Wave recognises a repeated request. */
  idempotency_key?: string;
}

/** Well below one minute, when the core starts its own status check. */
const CALL_MS = 20_000;
const MAX_BYTES = 256_000;

/** HTTP client for one wallet. Never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #tools: Pick<Tools, 'send' | 'clock'>;

  constructor(settings: Settings, tools: Pick<Tools, 'send' | 'clock'>) {
    this.#settings = settings;
    this.#tools = tools;
  }

  async call({ method, path, body, idempotency_key }: Request): Promise<Reply> {
    const { base_url, api_key, signing_secret } = this.#settings;
    const text = body ? JSON.stringify(body) : '';
    const result = await this.#tools.send({
      ...{ method, url: base_url + path, guard: 'none', timeout_ms: CALL_MS, max_bytes: MAX_BYTES },
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(idempotency_key ? { 'idempotency-key': idempotency_key } : {}),
        ...(signing_secret ? { 'wave-signature': signatureOf(signing_secret, text, this.#tools.clock.now()) } : {}),
      },
      ...(body ? { body: text } : {}),
    });
    return replyOf(result);
  }
}
