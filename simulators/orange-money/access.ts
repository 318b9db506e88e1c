import { randomUUID } from 'node:crypto';
import type { Answer, Call, SimulatorRoute } from '../kit/calls.ts';

export const UNAUTHORISED: Answer = {
  status: 401,
  body: { code: 42, message: 'Expired credentials', description: 'The requested service needs credentials that have expired.' },
};

/** Orange's OAuth: exchanges an application's id and secret for a token. */
export class Access {
  readonly #ends_at = new Map<string, number>();
  readonly #client: { id: string; secret: string };
  readonly #lifetime: () => string | number;

  /** @param lifetime in seconds, in its wire format: one of the APIs writes a text */
  constructor(client: { id: string; secret: string }, lifetime: () => string | number) {
    this.#client = client;
    this.#lifetime = lifetime;
  }

  route(path: string): SimulatorRoute {
    return { method: 'POST', path, doing: 'other', answer: (call) => this.#mint(call) };
  }

  /** Returns the response that rejects a call, or null. */
  denial({ headers }: Call): Answer | null {
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    return (this.#ends_at.get(token) ?? 0) > Date.now() ? null : UNAUTHORISED;
  }

  #mint({ headers, body }: Call): Answer {
    const given = Buffer.from(/^Basic (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '', 'base64').toString();
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    if (!isForm || new URLSearchParams(body.toString()).get('grant_type') !== 'client_credentials') {
      return { status: 400, body: { error: 'invalid_request' } };
    }
    if (given !== `${this.#client.id}:${this.#client.secret}`) return { status: 401, body: { error: 'invalid_client' } };
    const access_token = randomUUID().replaceAll('-', '');
    const expires_in = this.#lifetime();
    this.#ends_at.set(access_token, Date.now() + Number(expires_in) * 1_000);
    return { status: 200, body: { token_type: 'Bearer', access_token, expires_in } };
  }
}
