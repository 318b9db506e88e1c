import http from 'node:http';

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/** What a browser sends when a person opens a page. */
export const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'accept-language': 'en' };

/** One request with any headers, Host included, which fetch does not let a caller choose. */
export function request(url: string, method: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end(body);
  });
}

/** A browser as far as the start page goes: keeps its cookie and the hidden fields of the last form. */
export class Visitor {
  readonly url: string;
  cookie = '';
  hidden: Record<string, string> = {};

  constructor(url: string) {
    this.url = url;
  }

  async open(headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await request(this.url, 'GET', { ...BROWSER, cookie: this.cookie, ...headers });
    this.cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? this.cookie;
    const fields = [...answer.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    this.hidden = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    return answer;
  }

  /** Presses the button, with what the browser adds for a form of the page itself. */
  press(headers: Record<string, string> = {}, fields: Record<string, string> = {}): Promise<Answer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', origin: 'null' };
    const body = new URLSearchParams({ ...this.hidden, ...fields }).toString();
    return request(this.url, 'POST', { ...BROWSER, cookie: this.cookie, ...type, ...headers }, body);
  }
}
