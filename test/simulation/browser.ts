import { CookieJar } from '../setup/cookie-jar.ts';
import { formsOf } from '../setup/html-forms.ts';
import type { Answer, Surroundings } from './contract.ts';

/** The browser of a payer: it keeps cookies, and sends forms as pages ask for them. */
export class Browser {
  readonly #around: Surroundings;
  readonly #jar = new CookieJar();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async open(address: string): Promise<Answer | 'lost'> {
    return this.#ask('GET', address, {});
  }

  /** Opens a page and sends its form with these fields, as often as asked for. */
  async submit(address: string, fields: Record<string, string>, times = 1): Promise<Answer | 'lost' | null> {
    const page = await this.open(address);
    if (page === 'lost' || page.status !== 200 || typeof page.body !== 'string') return null;
    const hidden = Object.fromEntries(formsOf(page.body).flatMap((form) => form.hidden));
    const body = new URLSearchParams({ ...hidden, ...fields }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = await Promise.all(Array.from({ length: times }, () => this.#ask('POST', address, headers, body)));
    return answers[0] ?? null;
  }

  async #ask(method: string, address: string, headers: Record<string, string>, body?: string): Promise<Answer | 'lost'> {
    const path = address.replace(/^https?:\/\/[^/]+/, '');
    const sent = { accept: 'text/html', ...this.#jar.headerFor(path), ...headers };
    const answer = await this.#around.call({ method, path, headers: sent, ...(body === undefined ? {} : { body }) });
    if (answer === 'lost') return answer;
    this.#jar.keep([answer.headers['set-cookie'] ?? []].flat());
    return answer;
  }
}
