import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Windows } from './windows.ts';

/** Answer of the API. Status 0: there was no answer, or an incomplete one. */
export interface Said {
  status: number;
  /** Whether the answer asks the caller to try again (`Retry-After`). */
  is_deferred: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the shop reads the fields that the documentation promises
  body: any;
}

const CONNECTIONS = 128;
const DEADLINE_MS = 30_000;
const PATIENCE_MS = 180_000;
const PAUSE_MS = 200;
const MAX_EXAMPLES = 10;
/** Prefix of the paths of payment pages. */
const PAGES = '/pay/';

/** Calls the API over connections that are kept open, and records the latency of each operation. */
export class Caller {
  readonly #url: string;
  readonly #key: string;
  readonly #windows: Windows;
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  /** Streams have connections of their own, because an open stream occupies its connection. */
  readonly #streams = new Agent({ pipelining: 1 });
  readonly #since = performance.now();
  /** Times of 5xx answers with `Retry-After`, in seconds since the start of the load. */
  readonly deferred_at_s: number[] = [];
  /** Times of requests without a complete answer, in seconds since the start of the load. */
  readonly lost_at_s: number[] = [];
  readonly errors: Record<string, number> = {};
  readonly examples: string[] = [];

  constructor(url: string, key: string, windows: Windows) {
    this.#url = url;
    this.#key = key;
    this.#windows = windows;
  }

  /**
   * Sends a GET.
   * @param expected statuses that are no error
   */
  async read(operation: string, path: string, expected: readonly number[] = [200]): Promise<Said> {
    const since = performance.now();
    const said = await this.#ask('GET', path);
    return this.#noted(operation, since, said, expected);
  }

  /**
   * Sends a POST or DELETE. Repeats it with the same key until it has an answer, as the documentation prescribes. Its latency
   * includes the repetitions.
   * @param expected statuses that are no error
   * @param due when the request should have been sent, in milliseconds of the monotonic clock
   */
  async write(
    operation: string,
    { method = 'POST', path, key, body }: { method?: 'POST' | 'DELETE'; path: string; key?: string; body?: object },
    expected: readonly number[],
    due = performance.now(),
  ): Promise<Said> {
    const until = performance.now() + PATIENCE_MS;
    let said = await this.#ask(method, path, key, body);
    while ((said.status === 0 || said.status >= 500) && performance.now() < until) {
      if (said.status >= 500 && said.is_deferred) this.deferred_at_s.push(this.#seconds());
      else if (said.status >= 500) this.failed(operation, said.status, JSON.stringify(said.body));
      await sleep(PAUSE_MS);
      said = await this.#ask(method, path, key, body);
    }
    return this.#noted(operation, due, said, expected);
  }

  /** Keeps the event stream of a payment's page open for a while, then closes the connection without notice, as browsers do. */
  async watch(path: string, ms: number): Promise<void> {
    const leaving = AbortSignal.timeout(ms);
    try {
      const { body } = await request(this.#url + path, { dispatcher: this.#streams, signal: leaving });
      await body.dump({ limit: Number.MAX_SAFE_INTEGER, signal: leaving });
    } catch {
      // The payer left, or the API was restarted. A browser would connect again.
    }
  }

  /** Counts an unexpected answer. */
  failed(operation: string, status: number, detail: string): void {
    const name = `${operation} ${status}`;
    this.errors[name] = (this.errors[name] ?? 0) + 1;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(`${name}: ${detail.slice(0, 300)}`);
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent, this.#streams].map((agent) => agent.destroy()));
  }

  /** Returns the seconds since the start of the load. */
  #seconds(): number {
    return (performance.now() - this.#since) / 1000;
  }

  #noted(operation: string, since: number, said: Said, expected: readonly number[]): Said {
    this.#windows.add(operation, performance.now() - since);
    if (!expected.includes(said.status)) this.failed(operation, said.status, JSON.stringify(said.body));
    return said;
  }

  async #ask(method: 'GET' | 'POST' | 'DELETE', path: string, key?: string, body?: object): Promise<Said> {
    try {
      const answer = await request(this.#url + path, {
        method,
        dispatcher: this.#agent,
        headersTimeout: DEADLINE_MS,
        bodyTimeout: DEADLINE_MS,
        headers: {
          // A payer has no API key.
          ...(path.startsWith(PAGES) ? {} : { authorization: this.#key }),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(key ? { 'idempotency-key': key } : {}),
        },
        body: body ? JSON.stringify(body) : null,
      });
      const text = await answer.body.text();
      const is_deferred = answer.headers['retry-after'] !== undefined;
      return { status: answer.statusCode, is_deferred, body: path.startsWith(PAGES) ? text : JSON.parse(text) };
    } catch (error) {
      this.lost_at_s.push(this.#seconds());
      return { status: 0, is_deferred: false, body: (error as Error).message };
    }
  }
}
