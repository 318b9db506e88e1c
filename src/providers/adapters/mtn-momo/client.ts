import type { Tools } from '../connector.ts';
import { type Reply, replyOf } from '../wire/reply.ts';
import { bearerOf, isUnauthorised, type Minted, Tokens } from '../wire/tokens.ts';

/** MTN's products. Each has its own subscription key, token and float. */
export type Product = 'collection' | 'disbursement';

/** Credentials of one product. */
export interface Access {
  api_user: string;
  api_key: string;
  subscription_key: string;
}

export interface Settings {
  base_url: string;
  target_environment: string;
  access: Partial<Record<Product, Access>>;
}

export interface Request {
  method: 'GET' | 'POST';
  /** Path after the product: `/v1_0/requesttopay`. */
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

/**
 * A submission that includes a token renewal ends before one minute has passed, when the core starts its own status
 * check.
 */
const CALL_MS = 20_000;
const TOKEN_MS = 8_000;
const MAX_BYTES = 64_000;

/** HTTP client for one account. Its calls are authenticated and never throw. */
export class Client {
  readonly #settings: Settings;
  readonly #send: Tools['send'];
  readonly #tokens: Partial<Record<Product, Tokens>>;

  constructor(settings: Settings, { send, clock }: Tools) {
    this.#settings = settings;
    this.#send = send;
    const tokensOf = (product: Product) => new Tokens(() => this.#mint(product), clock);
    this.#tokens = { collection: tokensOf('collection'), disbursement: tokensOf('disbursement') };
  }

  async call(product: Product, request: Request): Promise<Reply> {
    const access = this.#settings.access[product];
    const tokens = this.#tokens[product];
    if (!access || !tokens) return { kind: 'unsent', message: `the account has no ${product} product` };
    return tokens.use((token) => this.#authorised(product, access, token, request), isUnauthorised);
  }

  async #authorised(product: Product, access: Access, token: string, { method, path, headers, body }: Request): Promise<Reply> {
    const result = await this.#send({
      ...{ method, url: this.#urlOf(product, path), guard: 'none', timeout_ms: CALL_MS, max_bytes: MAX_BYTES },
      headers: {
        authorization: `Bearer ${token}`,
        'ocp-apim-subscription-key': access.subscription_key,
        'x-target-environment': this.#settings.target_environment,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return replyOf(result);
  }

  /** The request has no body: MTN rejects one with a 400. */
  async #mint(product: Product): Promise<Minted> {
    const { api_user, api_key, subscription_key } = this.#settings.access[product] as Access;
    const result = await this.#send({
      ...{ method: 'POST', url: this.#urlOf(product, '/token/'), guard: 'none', timeout_ms: TOKEN_MS, max_bytes: MAX_BYTES },
      headers: {
        authorization: `Basic ${Buffer.from(`${api_user}:${api_key}`).toString('base64')}`,
        'ocp-apim-subscription-key': subscription_key,
      },
    });
    return bearerOf(replyOf(result), `${product} token`);
  }

  #urlOf(product: Product, path: string): string {
    return `${this.#settings.base_url}/${product}${path}`;
  }
}
