import { type Answered, faultOf, leakOf, type Target } from './faults.ts';
import type { FuzzRequest, Memory } from './requests.ts';

/** Result of a run: how often each status came, and each defect with the request that showed it. */
export interface Report {
  statuses: Map<number, number>;
  /** Operations that succeeded at least once. */
  reached: Set<string>;
  defects: string[];
}

/** What came back. */
export interface Received extends Answered {
  /** Path to which it leads on the service itself; null for none. */
  to: string | null;
  setCookies: string[];
}

/** Sends requests one at a time, judges every answer and learns from it. */
export class Sender {
  readonly report: Report = { statuses: new Map(), reached: new Set(), defects: [] };
  /** Number of requests so far. */
  sent = 0;
  readonly #origin: string;
  readonly #memory: Memory;
  /** Who was first shown an object, by its id. */
  readonly #owners = new Map<string, string>();

  constructor(origin: string, memory: Memory) {
    this.#origin = origin;
    this.#memory = memory;
  }

  /** @returns status 599 when there was no answer */
  async send(request: FuzzRequest, target: Target): Promise<Received> {
    const { method, path, headers, body } = request;
    const { report } = this;
    this.sent++;
    const shown = () => `${method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 1_000) ?? ''}`;
    try {
      const signal = AbortSignal.timeout(120_000);
      // The answer is compared with the document by the watched fetch of the tests.
      const response = await fetch(`${this.#origin}${path}`, {
        ...{ method, headers, signal, redirect: 'manual' },
        ...(body === undefined || method === 'GET' || method === 'HEAD' ? {} : { body }),
      });
      const text = await response.text();
      const { status } = response;
      report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
      const answered = { status, type: response.headers.get('content-type'), text };
      const fault = faultOf(method, target, answered);
      if (fault !== null) report.defects.push(`${fault} for ${shown()}: ${text.slice(0, 300)}`);
      const leak = target === 'operation' && status < 300 ? leakOf(this.#owners, this.#memory.caller, text) : null;
      if (leak !== null) report.defects.push(`${leak} for ${shown()}`);
      if (text.startsWith('{')) this.#memory.learn(JSON.parse(text));
      return { ...answered, to: this.#ownPath(response.headers.get('location')), setCookies: response.headers.getSetCookie() };
    } catch (error) {
      report.defects.push(`${error instanceof Error ? error.message : String(error)}\n  for ${shown()}`);
      return { status: 599, type: null, text: '', to: null, setCookies: [] };
    }
  }

  /** Only paths of the service are followed: nothing leaves this machine. */
  #ownPath(location: string | null): string | null {
    const url = location === null ? null : URL.parse(location, this.#origin);
    return url?.origin === new URL(this.#origin).origin ? url.pathname + url.search : null;
  }
}
