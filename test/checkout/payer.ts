import { type Api, type FakeClock, until } from '../setup/api.ts';

export interface Shown {
  status: number;
  headers: Headers;
  /** Page text, or parsed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  body: any;
}

/** A payment of the test merchant; its hosted page's address. */
export async function newPayment(
  api: Api,
  changes: object = {},
  key = api.keys.sandbox.secret,
): Promise<{ id: string; url: string; token: string }> {
  const body = { amount: 25000, currency: 'XAF', phone: '+237650000000', ...changes };
  const answer = await api.call('POST', '/payments', { key, body });
  if (answer.status !== 201) throw new Error(`no payment: ${JSON.stringify(answer.body)}`);
  const { authorization_url, authorization_token, transaction } = answer.body;
  return { id: transaction.id, url: authorization_url, token: authorization_token };
}

/** A browser as far as HTTP goes: keeps the page's cookie and the token of the last form it was shown. */
export class Payer {
  readonly url: string;
  cookie: string | null = null;
  /** The whole Set-Cookie header that made it. */
  setCookie: string | null = null;
  formToken: string | null = null;

  constructor(url: string) {
    this.url = url;
  }

  get(path = '', headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send('GET', path, headers);
  }

  /** Opens the page until it has a form: a charge that has just ended may be polled once more before another can be made. */
  offered(clock: FakeClock): Promise<Shown> {
    const look = () => {
      clock.advance(1_000);
      return this.get();
    };
    return until(look, ({ body }) => body.includes('name="form_token"'));
  }

  /** Submits a form of the page. */
  submit(fields: Record<string, string>, path = '', headers: Record<string, string> = {}): Promise<Shown> {
    const token: Record<string, string> = this.formToken === null ? {} : { form_token: this.formToken };
    return this.#send('POST', path, headers, new URLSearchParams({ ...token, ...fields }));
  }

  /** Charges as a script would. */
  json(body: unknown, path = '', headers: Record<string, string> = {}): Promise<Shown> {
    const given = { accept: 'application/json', 'content-type': 'application/json', ...headers };
    return this.#send('POST', path, given, JSON.stringify(body));
  }

  async #send(method: string, path: string, headers: Record<string, string>, body?: string | URLSearchParams): Promise<Shown> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(this.cookie ? { cookie: this.cookie } : {}), ...headers },
      ...(body ? { body } : {}),
    });
    const set = response.headers.get('set-cookie');
    if (set) [this.setCookie, this.cookie] = [set, set.split(';')[0] ?? null];
    const text = await response.text();
    this.formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? this.formToken;
    const json = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }
}
