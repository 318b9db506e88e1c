import type { Answer, Surroundings } from './contract.ts';

/** The browser of a payer: it keeps cookies, and sends forms as pages ask for them. */
export class Browser {
  readonly #around: Surroundings;
  readonly #cookies = new Map<string, string>();

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
    const hidden = Object.fromEntries(
      [...page.body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]),
    );
    const body = new URLSearchParams({ ...hidden, ...fields } as Record<string, string>).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answers = await Promise.all(Array.from({ length: times }, () => this.#ask('POST', address, headers, body)));
    return answers[0] ?? null;
  }

  async #ask(method: string, address: string, headers: Record<string, string>, body?: string): Promise<Answer | 'lost'> {
    const path = address.replace(/^https?:\/\/[^/]+/, '');
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { accept: 'text/html', ...(cookie ? { cookie } : {}), ...headers };
    const answer = await this.#around.call({ method, path, headers: sent, ...(body === undefined ? {} : { body }) });
    if (answer === 'lost') return answer;
    for (const [, name, value] of String(answer.headers['set-cookie'] ?? '').matchAll(/(?:^|,)\s*(\w+)=([^;]+)/g))
      this.#cookies.set(name as string, value as string);
    return answer;
  }
}
