import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import { cut } from './unicode.ts';
import { BlockedError, guardedConnector, type Resolve, resolveName } from './guard.ts';

const load = createRequire(import.meta.url);

/**
 * Allowed destinations of a request. `none`: any address, also plain http (provider addresses, set by the operator). `public`:
 * https to public addresses only (addresses set by merchants). `public_or_loopback`: also https to loopback with any
 * certificate (development, sandbox only).
 */
export type Guard = 'none' | 'public' | 'public_or_loopback';

export interface SendOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  guard: Guard;
  headers?: Record<string, string>;
  /** Sent unchanged, byte for byte. */
  body?: string | Buffer;
  /** Deadline in milliseconds over everything: waiting for a socket, connecting, TLS, headers and body. */
  timeout_ms: number;
  /** Maximum bytes of the response body kept. The socket is destroyed when more arrive. */
  max_bytes: number;
  /** `latin1`: each byte is one character of the body, for binary responses. Default: UTF-8. */
  encoding?: 'latin1';
}

/** Outcome of a request. A redirect is returned like any other response and never followed. */
export type SendResult =
  | { kind: 'answered'; status: number; headers: AnswerHeaders; body: string; truncated: boolean; duration_ms: number }
  | {
      kind: 'failed';
      error: 'timeout' | 'refused' | 'dns' | 'tls' | 'blocked' | 'broken';
      /** False when it is certain that no byte of the request was sent, so the other side cannot have acted on it. */
      sent: boolean;
      /** Description for logs and operators. */
      detail: string;
      duration_ms: number;
    };

type AnswerHeaders = Record<string, string | string[] | undefined>;
type Failure = Extract<SendResult, { kind: 'failed' }>;

export type Send = (options: SendOptions) => Promise<SendResult>;

// High enough that endpoints on a shared host rarely wait for each other's sockets, but still bounded.
const SOCKETS_PER_ORIGIN = 256;

/**
 * How long an idle socket is kept. Servers commonly close theirs after 5 s, and a request written to a socket that is being closed
 * would fail with an unknown outcome. A server can shorten this time (`Keep-Alive: timeout`) but not extend it, because a proxy in
 * between may close the socket earlier.
 */
const IDLE_MS = 4_000;

/**
 * Creates a sender with its own connections, one agent per guard. Idle sockets do not keep the process alive.
 * @param resolve finds the addresses of a name in the guarded modes
 * @param idle_ms how long an idle socket is kept, in milliseconds
 */
export function createSender(resolve: Resolve = resolveName, idle_ms = IDLE_MS): { send: Send; close(): Promise<void> } {
  const agents = new Map<Guard, Agent>();
  const agentOf = (guard: Guard): Agent => {
    let agent = agents.get(guard);
    if (!agent) {
      agent = openAgent(guard, resolve, idle_ms);
      agents.set(guard, agent);
    }
    return agent;
  };
  return {
    send: (options) => new Promise((resolve) => new Exchange(options, resolve).start(agentOf(options.guard))),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** The sender of this process. Never throws; failures are in the result. */
export const { send } = createSender();

function openAgent(guard: Guard, resolve: Resolve, idle_ms: number): Agent {
  // Loaded on first use, because most processes send nothing. The main entry of the package would load five times as much: 7 MB.
  const Agent = load('undici/lib/dispatcher/agent.js') as typeof import('undici').Agent;
  const idle = { keepAliveTimeout: idle_ms, keepAliveMaxTimeout: idle_ms };
  // undici's other timeouts are off because `timeout_ms` covers them all. HTTP/1.1 only: there "started" and "written" coincide.
  const options = { connections: SOCKETS_PER_ORIGIN, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0, ...idle };
  if (guard === 'none') return new Agent(options);
  return new Agent({ ...options, connect: guardedConnector(resolve, guard === 'public_or_loopback') });
}

/** One request and its outcome. Uses undici's lowest interface, which avoids the cost of streams. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: SendOptions;
  readonly #resolve: (result: SendResult) => void;
  readonly #since = performance.now();
  readonly #chunks: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #bytes = 0;
  #over = false;

  constructor(options: SendOptions, resolve: (result: SendResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
  }

  start(agent: Agent): void {
    const { url, method, headers, body, timeout_ms } = this.#options;
    const target = URL.parse(url);
    if (!target) {
      this.#fail('blocked', 'the address is not a URL');
      return;
    }
    this.#timer = setTimeout(() => this.#fail('timeout', `no complete answer within ${timeout_ms} ms`), timeout_ms);
    agent.dispatch(
      { origin: target.origin, path: target.pathname + target.search, method, headers: headers ?? null, body: body ?? null },
      this,
    );
  }

  /** Called when a connection is ready, immediately before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Nothing may be sent after the deadline, because the result already reported that nothing was sent.
    if (this.#over) controller.abort(new Error('given up'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { max_bytes } = this.#options;
    // Copied when truncated, so that a few kept bytes do not retain a 64 kB buffer.
    this.#chunks.push(this.#bytes + chunk.length > max_bytes ? Buffer.from(chunk.subarray(0, max_bytes - this.#bytes)) : chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > max_bytes) this.#answer(true);
  }

  onResponseEnd(): void {
    this.#answer(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(failureOf(error), describe(error));
  }

  #answer(truncated: boolean): void {
    const body = Buffer.concat(this.#chunks).toString(this.#options.encoding ?? 'utf8');
    this.#finish({
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body,
      truncated,
      duration_ms: this.#elapsed(),
    });
    if (truncated) this.#controller?.abort(new Error('the answer is too long'));
  }

  #fail(error: Failure['error'], detail: string): void {
    if (this.#over) return;
    this.#finish({ kind: 'failed', error, sent: this.#controller !== undefined, detail, duration_ms: this.#elapsed() });
    this.#controller?.abort(new Error(detail));
  }

  #finish(result: SendResult): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#since);
  }
}

const REFUSED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'EACCES']);
const DNS_CALL = /^(?:getaddrinfo|query)/;
const TLS_CODE = /TLS|SSL|CERT|^UNABLE_TO_|SELF_SIGNED|^EPROTO$|^CRL_|^HOSTNAME_MISMATCH$/;

function failureOf(error: NodeJS.ErrnoException): Failure['error'] {
  const code = error.code ?? '';
  if (error instanceof BlockedError) return 'blocked';
  if (DNS_CALL.test(error.syscall ?? '')) return 'dns';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (REFUSED.has(code)) return 'refused';
  return TLS_CODE.test(code) ? 'tls' : 'broken';
}

function describe(error: NodeJS.ErrnoException): string {
  // Node combines the failures of several addresses under an empty message.
  const message = error.message || (error instanceof AggregateError ? error.errors.map(String).join('; ') : '');
  return cut([error.code, message].filter(Boolean).join(': '), 300);
}
