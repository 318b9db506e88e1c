import type { Api } from '../setup/api.ts';

/** What came back of a link's page. */
export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** A browser as far as a link's page goes: keeps its cookie and the hidden fields of the last form it was shown. */
export class LinkBrowser {
  readonly url: string;
  cookie: string | null = null;
  hidden: Record<string, string> = {};

  constructor(url: string) {
    this.url = url;
  }

  open(headers: Record<string, string> = {}): Promise<Page> {
    return this.#send('GET', headers);
  }

  /** Sends the form with what is hidden in it. */
  submit(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send('POST', headers, new URLSearchParams({ ...this.hidden, ...fields }));
  }

  async #send(method: string, headers: Record<string, string>, body?: URLSearchParams): Promise<Page> {
    const response = await fetch(this.url, {
      method,
      redirect: 'manual',
      headers: { ...(this.cookie ? { cookie: this.cookie } : {}), ...headers },
      ...(body ? { body } : {}),
    });
    this.cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
    const text = await response.text();
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    if (hidden.length > 0) this.hidden = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
    return { status: response.status, headers: response.headers, text };
  }
}

/** A link of this live key. */
export async function newLink(api: Api, key: string, fields: object = {}): Promise<{ id: string; url: string }> {
  const body = { title: 'Evening class', amount: 1_000, currency: 'XAF', ...fields };
  const answer = await api.call('POST', '/links', { key, body });
  if (answer.status !== 201) throw new Error(`no link: ${JSON.stringify(answer.body)}`);
  return answer.body.link;
}

/** Opens the link and sends its form as a payer would. */
export async function payBy(url: string, fields: Record<string, string> = { phone: '670100000' }): Promise<Page> {
  const browser = new LinkBrowser(url);
  await browser.open();
  return browser.submit(fields);
}
