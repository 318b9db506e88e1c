import { randomUUID } from 'node:crypto';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import { error } from './codes.ts';

export const PRODUCTS = ['collection', 'disbursement'] as const;
export type Product = (typeof PRODUCTS)[number];

/** The user that exists from the start. Further ones are created as in MTN's sandbox. */
export const FIRST_USER = { id: '0f1d2c3b-4a59-4687-9a0b-c1d2e3f40516', key: 'twin-of-mtn-api-key' };

export const SUBSCRIPTION_KEYS: Record<Product, string> = {
  collection: 'twin-of-mtn-collection-key',
  disbursement: 'twin-of-mtn-disbursement-key',
};

interface User {
  key: string;
  /** The allowed host of callback addresses; null: any, for the user that exists from the start. */
  callback_host: string | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const DENIED: Answer = { status: 401, body: { statusCode: 401, message: 'Access denied due to invalid subscription key.' } };
export const UNAUTHORISED: Answer = {
  status: 401,
  body: { statusCode: 401, message: 'Unauthorized. Access token is missing or invalid.' },
};

/** Users, keys and tokens, for authorisation. */
export class Access {
  readonly #users = new Map<string, User>([[FIRST_USER.id, { key: FIRST_USER.key, callback_host: null }]]);
  readonly #tokens = new Map<string, { user: User; product: Product; ends_at: number }>();
  readonly #tokenSeconds: () => number;
  /** Number of tokens issued. */
  minted = 0;

  /** @param tokenSeconds returns the lifetime of a token; called for each one */
  constructor(tokenSeconds: () => number) {
    this.#tokenSeconds = tokenSeconds;
  }

  /** Returns the caller, or the response that rejects the call. */
  callerOf(call: Call, product: Product): { user: User } | { answer: Answer } {
    if (call.headers['ocp-apim-subscription-key'] !== SUBSCRIPTION_KEYS[product]) return { answer: DENIED };
    const token = this.#tokens.get(/^Bearer (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '');
    if (token?.product !== product || token.ends_at <= Date.now()) return { answer: UNAUTHORISED };
    return { user: token.user };
  }

  routes(): SimulatorRoute[] {
    const provisioning = (method: string, path: string, answer: (call: Call) => Answer): SimulatorRoute => ({
      ...{ method, path, doing: 'other' },
      answer: (call) => (this.#hasAnyKey(call) ? answer(call) : DENIED),
    });
    return [
      provisioning('POST', '/v1_0/apiuser', (call) => this.#createUser(call)),
      provisioning('POST', '/v1_0/apiuser/:id/apikey', (call) => this.#createKey(call.params.id ?? '')),
      provisioning('GET', '/v1_0/apiuser/:id', (call) => this.#showUser(call.params.id ?? '')),
      ...PRODUCTS.map(
        (product): SimulatorRoute => ({
          ...{ method: 'POST', path: `/${product}/token/`, doing: 'other' },
          answer: (call) => this.#mint(call, product),
        }),
      ),
    ];
  }

  #hasAnyKey({ headers }: Call): boolean {
    return PRODUCTS.some((product) => headers['ocp-apim-subscription-key'] === SUBSCRIPTION_KEYS[product]);
  }

  #createUser(call: Call): Answer {
    const id = String(call.headers['x-reference-id'] ?? '');
    const callback_host = jsonOf(call)?.providerCallbackHost;
    if (!UUID.test(id) || typeof callback_host !== 'string') return { status: 400, body: '' };
    if (this.#users.has(id)) return error(409, 'RESOURCE_ALREADY_EXIST');
    this.#users.set(id, { key: '', callback_host });
    return { status: 201, body: null };
  }

  #createKey(id: string): Answer {
    const user = this.#users.get(id);
    if (!user) return error(404, 'RESOURCE_NOT_FOUND');
    user.key = randomUUID().replaceAll('-', '');
    return { status: 201, body: { apiKey: user.key } };
  }

  #showUser(id: string): Answer {
    const user = this.#users.get(id);
    if (!user) return error(404, 'RESOURCE_NOT_FOUND');
    return { status: 200, body: { providerCallbackHost: user.callback_host ?? '', targetEnvironment: 'sandbox' } };
  }

  #mint(call: Call, product: Product): Answer {
    if (call.body.length > 0) return { status: 400, body: '' };
    if (call.headers['ocp-apim-subscription-key'] !== SUBSCRIPTION_KEYS[product]) return DENIED;
    const given = /^Basic (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
    const [id = '', key = ''] = Buffer.from(given, 'base64').toString().split(':');
    const user = this.#users.get(id);
    if (!user || key === '' || user.key !== key) return { status: 401, body: { error: 'login_failed' } };
    const token = randomUUID();
    const expires_in = this.#tokenSeconds();
    this.#tokens.set(token, { user, product, ends_at: Date.now() + expires_in * 1_000 });
    this.minted++;
    return { status: 200, body: { access_token: token, token_type: 'access_token', expires_in } };
  }
}
