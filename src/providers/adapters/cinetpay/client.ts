import type { SendOptions } from '../../../kit/fetch.ts';
import type { Tools } from '../connector.ts';
import { fieldsOf, type Reply, replyOf } from '../wire/reply.ts';
import { type Minted, Tokens } from '../wire/tokens.ts';
import { codeOf, isTokenFault } from './codes.ts';

export interface Settings {
  checkout_url: string;
  transfer_url: string;
  apikey: string;
  site_id: string;
  /** Password of the transfer API; empty where the account has none. */
  password: string;
}

const SUBMIT_MS = 20_000;
const READ_MS = 10_000;
const TOKEN_MS = 8_000;
const MAX_BYTES = 256_000;
/** Token lifetime. The response does not contain it (transfer, authentication). */
const TOKEN_LIVES_MS = 300_000;
/** CinetPay's network rejects requests without a user agent. */
const USER_AGENT = 'Mozilla/5.0 (compatible; Pirogue)';

/** HTTP client for one account: a checkout API with the keys in the body, and a transfer API behind a token. Never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #send: Tools['send'];
  readonly #tokens: Tokens;

  constructor(settings: Settings, { send, clock }: Tools) {
    this.#settings = settings;
    this.#send = send;
    this.#tokens = new Tokens(() => this.#mint(), clock);
  }

  /**
   * Calls the checkout API.
   * @param reads true for a request that moves no money
   */
  async checkout(path: string, fields: object, reads = false): Promise<Reply> {
    const { checkout_url, apikey, site_id } = this.#settings;
    return this.#call({
      ...{ method: 'POST', url: `${checkout_url}${path}`, timeout_ms: reads ? READ_MS : SUBMIT_MS },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apikey, site_id, ...fields }),
    });
  }

  /** Reads from the transfer API. */
  async read(path: string, query: Record<string, string> = {}): Promise<Reply> {
    return this.#tokens.use((token) => {
      const url = `${this.#settings.transfer_url}${path}?${new URLSearchParams({ token, ...query })}`;
      return this.#call({ method: 'GET', url, timeout_ms: READ_MS });
    }, isTokenFault);
  }

  /**
   * Posts a list with one entry to the transfer API.
   * @param prepares true for a request that moves no money; it has a shorter timeout, so that both steps of a transfer
   * end before the core starts its own status check
   */
  async submit(path: string, entry: object, prepares = false): Promise<Reply> {
    return this.#tokens.use(
      (token) =>
        this.#call({
          ...{ method: 'POST', url: `${this.#settings.transfer_url}${path}?${new URLSearchParams({ token })}` },
          ...form({ data: JSON.stringify([entry]) }),
          timeout_ms: prepares ? READ_MS : SUBMIT_MS,
        }),
      isTokenFault,
    );
  }

  async #mint(): Promise<Minted> {
    const { transfer_url, apikey, password } = this.#settings;
    const url = `${transfer_url}/v1/auth/login?lang=fr`;
    const reply = await this.#call({ method: 'POST', url, ...form({ apikey, password }), timeout_ms: TOKEN_MS });
    if (reply.kind !== 'answered') return { kind: 'denied', message: `no token: ${reply.message}` };
    const { token } = fieldsOf(fieldsOf(reply.body).data);
    return codeOf(reply) === '0' && typeof token === 'string' && token !== ''
      ? { kind: 'minted', token, lives_ms: TOKEN_LIVES_MS }
      : { kind: 'denied', message: `no token: HTTP ${reply.status}` };
  }

  async #call({ headers, ...options }: Omit<SendOptions, 'guard' | 'max_bytes'>): Promise<Reply> {
    const named = { 'user-agent': USER_AGENT, ...headers };
    return replyOf(await this.#send({ ...options, headers: named, guard: 'none', max_bytes: MAX_BYTES }));
  }
}

function form(fields: Record<string, string>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { headers, body: new URLSearchParams(fields).toString() };
}
