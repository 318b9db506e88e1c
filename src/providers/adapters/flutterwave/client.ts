import type { Tools } from '../connector.ts';
import { type Reply, replyOf } from '../wire/reply.ts';

export interface Settings {
  base_url: string;
  secret_key: string;
  /** Flutterwave requires an e-mail address of every payer. The payer's own address is not sent. */
  customer_email: string;
  /** The sender of payouts, required by M-Pesa of Kenya. Null: no payouts there. */
  sender: Sender | null;
}

/** The fields of `meta` (Mobile Money Transfer, Kenya). */
export interface Sender {
  sender: string;
  sender_country: string;
  mobile_number: string;
}

/** Flutterwave's gateway returns 503 after 28 s. A submission without a response by then is resolved by a status read. */
const SUBMIT_MS = 25_000;
const READ_MS = 10_000;
const MAX_BYTES = 1_000_000;

/** HTTP client for one account. Never throws. */
export class Client {
  readonly settings: Settings;
  readonly #send: Tools['send'];

  constructor(settings: Settings, { send }: Tools) {
    this.settings = settings;
    this.#send = send;
  }

  /**
   * Sends a GET request.
   * @param path after `/v3`
   */
  async get(path: string): Promise<Reply> {
    const { url, headers } = this.#to(path);
    return replyOf(await this.#send({ method: 'GET', url, headers, guard: 'none', timeout_ms: READ_MS, max_bytes: MAX_BYTES }));
  }

  async post(path: string, body: object): Promise<Reply> {
    const { url, headers } = this.#to(path);
    return replyOf(
      await this.#send({
        ...{ method: 'POST', url, body: JSON.stringify(body), guard: 'none', timeout_ms: SUBMIT_MS, max_bytes: MAX_BYTES },
        headers: { ...headers, 'content-type': 'application/json' },
      }),
    );
  }

  #to(path: string): { url: string; headers: Record<string, string> } {
    const { base_url, secret_key } = this.settings;
    return { url: `${base_url}/v3${path}`, headers: { authorization: `Bearer ${secret_key}` } };
  }
}
