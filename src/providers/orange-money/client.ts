import type { Tools } from '../connector.ts';
import { fieldsOf, type Reply, replyOf } from '../wire/reply.ts';
import { type Minted, Tokens } from '../wire/tokens.ts';

export interface Settings {
  base_url: string;
  /** Where the token is asked for: `/oauth/v3/token`. */
  token_path: string;
  client_id: string;
  client_secret: string;
  /** What every call carries beside the token. */
  headers?: Record<string, string>;
}

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

/** A call with a renewed token in the middle stays below the minute after which the core looks for itself. */
const CALL_MS = 20_000;
const TOKEN_MS = 8_000;
const MOST_BYTES = 64_000;
/** What may stand in a header. */
const VISIBLE = /^[\x21-\x7e]{1,8192}$/;

/** The wire of one account at either of Orange's APIs: authorised calls that never throw. */
export class Client {
  readonly #settings: Settings;
  readonly #send: Tools['send'];
  readonly #tokens: Tokens;

  constructor(settings: Settings, { send, clock }: Tools) {
    this.#settings = settings;
    this.#send = send;
    this.#tokens = new Tokens(() => this.#mint(), clock);
  }

  /** A 401 proves that nothing was done: the call is made once more with a new token. */
  async call(request: Request): Promise<Reply> {
    const first = await this.#authorised(request);
    if (first.reply.kind !== 'answered' || first.reply.status !== 401) return first.reply;
    this.#tokens.drop(first.token);
    return (await this.#authorised(request)).reply;
  }

  async #authorised({ method, path, body }: Request): Promise<{ token: string; reply: Reply }> {
    const grant = await this.#tokens.get();
    if (grant.kind === 'denied') return { token: '', reply: { kind: 'unsent', message: grant.message } };
    const result = await this.#send({
      ...{ method, url: this.#settings.base_url + path, guard: 'none', timeout_ms: CALL_MS, max_bytes: MOST_BYTES },
      headers: {
        ...this.#settings.headers,
        authorization: `Bearer ${grant.token}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { token: grant.token, reply: replyOf(result) };
  }

  async #mint(): Promise<Minted> {
    const { base_url, token_path, client_id, client_secret } = this.#settings;
    const result = await this.#send({
      ...{ method: 'POST', url: base_url + token_path, guard: 'none', timeout_ms: TOKEN_MS, max_bytes: MOST_BYTES },
      headers: {
        authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
    });
    const reply = replyOf(result);
    if (reply.kind !== 'answered') return { kind: 'denied', message: `no token: ${reply.message}` };
    // The lifetime comes as a number or as a text.
    const { access_token, expires_in } = fieldsOf(reply.body);
    const lives_ms = Number(expires_in) * 1_000;
    if (reply.status !== 200 || typeof access_token !== 'string' || !VISIBLE.test(access_token) || !(lives_ms > 0)) {
      return { kind: 'denied', message: `no token: HTTP ${reply.status}` };
    }
    return { kind: 'minted', token: access_token, lives_ms };
  }
}
