import type { Tools } from '../connector.ts';
import { type Reply, replyOf } from '../wire/reply.ts';
import { bearerOf, type Minted, Tokens } from '../wire/tokens.ts';
import { isTokenFault } from './codes.ts';

export interface Settings {
  base_url: string;
  consumer_key: string;
  consumer_secret: string;
  shortcode: string;
  passkey: string;
}

const CALL_MS = 20_000;
const TOKEN_MS = 8_000;
const MAX_BYTES = 64_000;
/** Nairobi is UTC+3 all year. */
const NAIROBI_MS = 3 * 3_600_000;

/** HTTP client for one shortcode. Never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #tools: Tools;
  readonly #tokens: Tokens;

  constructor(settings: Settings, tools: Tools) {
    this.#settings = settings;
    this.#tools = tools;
    this.#tokens = new Tokens(() => this.#mint(), tools.clock);
  }

  /** Makes an authenticated call, with the password derived from the passkey. */
  call(path: string, fields: object): Promise<Reply> {
    return this.#tokens.use((token) => this.#send(path, fields, token), isTokenFault);
  }

  async #send(path: string, fields: object, token: string): Promise<Reply> {
    const { base_url, shortcode, passkey } = this.#settings;
    const Timestamp = new Date(this.#tools.clock.now() + NAIROBI_MS).toISOString().replace(/\D/g, '').slice(0, 14);
    const Password = Buffer.from(shortcode + passkey + Timestamp).toString('base64');
    const result = await this.#tools.send({
      ...{ method: 'POST', url: base_url + path, guard: 'none', timeout_ms: CALL_MS, max_bytes: MAX_BYTES },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ BusinessShortCode: shortcode, Password, Timestamp, ...fields }),
    });
    return replyOf(result);
  }

  async #mint(): Promise<Minted> {
    const { base_url, consumer_key, consumer_secret } = this.#settings;
    const result = await this.#tools.send({
      ...{ method: 'GET', url: `${base_url}/oauth/v1/generate?grant_type=client_credentials`, guard: 'none' },
      headers: { authorization: `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}` },
      ...{ timeout_ms: TOKEN_MS, max_bytes: MAX_BYTES },
    });
    return bearerOf(replyOf(result));
  }
}
