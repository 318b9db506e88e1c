import type { Tools } from '../connector.ts';
import { fieldsOf, type Reply, replyOf } from '../wire/reply.ts';
import { type Minted, Tokens } from '../wire/tokens.ts';
import { isTokenFault } from './map.ts';

export interface Settings {
  base_url: string;
  consumer_key: string;
  consumer_secret: string;
  shortcode: string;
  passkey: string;
}

const CALL_MS = 20_000;
const TOKEN_MS = 8_000;
const MOST_BYTES = 64_000;
/** What may stand in a header. */
const VISIBLE = /^[\x21-\x7e]{1,8192}$/;
/** Nairobi is three hours ahead all year round. */
const NAIROBI_MS = 3 * 3_600_000;

/** The wire of one shortcode. Never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #tools: Tools;
  readonly #tokens: Tokens;

  constructor(settings: Settings, tools: Tools) {
    this.#settings = settings;
    this.#tools = tools;
    this.#tokens = new Tokens(() => this.#mint(), tools.clock);
  }

  /** Signed with the passkey. A token that is turned down proves that nothing was done: the call is made once more. */
  async call(path: string, fields: object): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const grant = await this.#tokens.get();
      if (grant.kind === 'denied') return { kind: 'unsent', message: grant.message };
      const reply = await this.#send(path, fields, grant.token);
      if (tries > 1 || !isTokenFault(reply)) return reply;
      this.#tokens.drop(grant.token);
    }
  }

  async #send(path: string, fields: object, token: string): Promise<Reply> {
    const { base_url, shortcode, passkey } = this.#settings;
    const Timestamp = new Date(this.#tools.clock.now() + NAIROBI_MS).toISOString().replace(/\D/g, '').slice(0, 14);
    const Password = Buffer.from(shortcode + passkey + Timestamp).toString('base64');
    const result = await this.#tools.send({
      ...{ method: 'POST', url: base_url + path, guard: 'none', timeout_ms: CALL_MS, max_bytes: MOST_BYTES },
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
      ...{ timeout_ms: TOKEN_MS, max_bytes: MOST_BYTES },
    });
    const reply = replyOf(result);
    if (reply.kind !== 'answered') return { kind: 'denied', message: `no token: ${reply.message}` };
    const { access_token, expires_in } = fieldsOf(reply.body);
    const lives_ms = Number(expires_in) * 1_000;
    return reply.status === 200 && typeof access_token === 'string' && VISIBLE.test(access_token) && lives_ms > 0
      ? { kind: 'minted', token: access_token, lives_ms }
      : { kind: 'denied', message: `no token: HTTP ${reply.status}` };
  }
}
