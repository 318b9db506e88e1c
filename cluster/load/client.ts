import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** One request that did not get the answer it was sent for. */
export interface Failed {
  /** Milliseconds since the epoch: when its first repetition was sent, when it was sent, and when it failed. */
  first_at: number;
  sent_at: number;
  at: number;
  operation: string;
  kind: Kind;
  /** What is wrong with the answer itself; null: it is as documented. */
  fault: string | null;
}

/** cut: no whole answer. balancer: its static page. under way: an earlier request with the same key may not have ended. */
export type Kind = 'cut' | 'balancer' | 'under way' | '429' | `${number}`;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const CONNECTIONS = 64;
/** Longer than any part in between waits. */
const DEADLINE_MS = 45_000;
/** Covers the whole `Retry-After` of an outage: with shorter pauses, the repeated requests would exceed the request limits. */
const MAX_PAUSE_MS = 5_000;

/** Sends requests as a merchant's program, and repeats those that failed, with the same key, until they are answered. */
export class Client {
  readonly failed: Failed[] = [];
  /** When each creation of a payment was answered 2xx, in milliseconds since the epoch. */
  readonly created_at: number[] = [];
  readonly #url: string;
  readonly #agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Sends once.
   * @param first_at when the same request was sent first, in milliseconds since the epoch; null: it is the first
   * @returns null when there was no whole answer
   */
  async send(operation: string, call: Call, first_at: number | null = null): Promise<Answer | null> {
    const sent_at = Date.now();
    const answer = await this.#send(call);
    const isDone = first_at !== null && answer !== null && call.done_before?.test(answer.text) === true;
    const kind = isDone ? null : kindOf(answer);
    const fault = answer && faultOf(answer);
    if (kind !== null) this.failed.push({ first_at: first_at ?? sent_at, sent_at, at: Date.now(), operation, kind, fault });
    return answer;
  }

  /**
   * Repeats until there is an answer that is final for the caller.
   * @returns null when there was none before the deadline
   */
  async insist(operation: string, call: Call, until: () => boolean): Promise<Answer | null> {
    const since = Date.now();
    for (let first_at: number | null = null; ; first_at = since) {
      const answer = await this.send(operation, call, first_at);
      if (answer && !isTemporary(answer.status)) {
        if (operation === 'create' && answer.status < 300) this.created_at.push(Date.now());
        return answer;
      }
      if (until()) return null;
      await sleep(pauseOf(answer));
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send({ method = 'POST', path, key, ip, idempotency_key, body }: Call): Promise<Answer | null> {
    try {
      const answer = await request(this.#url + path, {
        method,
        dispatcher: this.#agent,
        headersTimeout: DEADLINE_MS,
        bodyTimeout: DEADLINE_MS,
        headers: {
          ...{ authorization: key, 'x-forwarded-for': ip },
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(idempotency_key ? { 'idempotency-key': idempotency_key } : {}),
        },
        body: body ? JSON.stringify(body) : null,
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    } catch {
      return null;
    }
  }
}

export interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  key: string;
  /** Address of the caller, as a balancer passes it on. */
  ip: string;
  idempotency_key?: string;
  body?: object;
  /** Answer to a repetition when an earlier request was carried out and its answer was lost: it is no failure. */
  done_before?: RegExp;
}

/** 409: the first request with the key is still under way. */
function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 409;
}

/** Returns what a failed request is counted as; null when it did not fail. */
export function kindOf(answer: Answer | null): Kind | null {
  if (answer === null) return 'cut';
  if (!isTemporary(answer.status)) return answer.status >= 400 ? `${answer.status}` : null;
  if (!isOurs(answer)) return 'balancer';
  return / same Idempotency-Key is still under way/.test(answer.text) ? 'under way' : `${answer.status}`;
}

/** Returns what is wrong with the answer to a failed request; null: it is as documented. */
export function faultOf({ status, headers, text }: Answer): string | null {
  if (status < 400) return null;
  if (status >= 500 && !/^\d+$/.test(String(headers['retry-after'] ?? ''))) return `${status} without Retry-After`;
  try {
    const { code, status: phrase, message } = JSON.parse(text) as Record<string, unknown>;
    const whole = code === status && typeof phrase === 'string' && typeof message === 'string';
    return whole ? null : `${status} without the envelope: ${text.slice(0, 80)}`;
  } catch {
    return `${status} is no JSON: ${text.slice(0, 80)}`;
  }
}

function isOurs({ headers }: Answer): boolean {
  return headers['x-request-id'] !== undefined;
}

function pauseOf(answer: Answer | null): number {
  const wanted = Number(answer?.headers['retry-after'] ?? 0) * 1000;
  return Math.min(Math.max(wanted, 200), MAX_PAUSE_MS);
}
