import { apiError, type CallError, ConnectionError, TimeoutError, type Trace } from './errors.ts';
import type { Warning } from './generated/types.ts';
import { OPERATIONS } from './generated/operations.ts';
import { type AccountOptions, atLeast, carried, type CreateOptions, type Settings, visible, type WarnedCall } from './options.ts';
import { mayRetry, type Outcome, sleep, waitAfter } from './retry.ts';
import type { Operation, Operations } from './shapes.ts';

/** Path, query and body of an operation, where it has them. */
export type Input<N extends keyof Operations> = Omit<Operations[N], 'reply'>;

/** Calls an operation of the OpenAPI document and returns the JSON of its answer. */
export type Call = <N extends keyof Operations>(
  name: N,
  input: Input<N>,
  options?: CreateOptions & AccountOptions,
) => Promise<Operations[N]['reply']>;

interface Parts {
  path?: Record<string, string>;
  query?: object;
  body?: unknown;
}

/** Parts of a call that are the same for every attempt. */
interface Request {
  url: string;
  init: RequestInit;
  /** A repeated attempt cannot take effect twice. */
  repeatable: boolean;
  idempotencyKey: string | null;
  retries: number;
  timeoutMs: number;
  deadlineMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Returns a function that calls the service.
 * @throws CallError, or the reason of the caller's signal
 */
export function callWith(settings: Settings): Call {
  return async (name, input, options = {}) => {
    const request = requestOf(settings, OPERATIONS[name], input, options);
    const { body, requestId } = await send(settings.fetch, request);
    const { warnings } = body as { warnings?: Warning[] };
    if (warnings) report(settings, warnings, { operation: name, requestId });
    return body as Operations[typeof name]['reply'];
  };
}

/** Reports warnings. An error of the callback must not look like a call that failed. */
function report({ onWarnings }: Settings, warnings: Warning[], call: WarnedCall): void {
  try {
    onWarnings(warnings, call);
  } catch {
    // The call was carried out.
  }
}

function requestOf(settings: Settings, operation: Operation, input: Parts, options: CreateOptions & AccountOptions): Request {
  const { method, keyed } = operation;
  const { version = settings.version, idempotencyKey: given = newKey(), account, requestId } = options;
  const idempotencyKey = keyed ? visible('idempotencyKey', given) : null;
  const body = input.body === undefined ? null : JSON.stringify(input.body);
  const headers = {
    authorization: settings.key,
    accept: 'application/json',
    'x-service-version': visible('version', version),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    ...(operation.sync && account !== undefined ? { 'x-sync': visible('account', account) } : {}),
    ...(requestId ? { 'x-request-id': carried('requestId', requestId) } : {}),
  };
  return {
    url: settings.baseUrl + pathOf(operation, input.path) + searchOf(input.query),
    // The key must not be sent to the target of a redirect.
    init: { method, headers, body, redirect: 'manual' },
    repeatable: keyed || method !== 'POST',
    idempotencyKey,
    retries: atLeast(0, 'retries', options.retries ?? settings.retries),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? settings.timeoutMs),
    deadlineMs: atLeast(1, 'deadlineMs', options.deadlineMs ?? settings.deadlineMs),
    signal: options.signal,
  };
}

/**
 * Rejects an id that is empty or consists of dots, which would change the path.
 * @throws TypeError
 */
function pathOf({ path }: Operation, values: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id: ${value}`);
    return encodeURIComponent(value);
  });
}

function searchOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Returns 128 random bits in hex. `crypto.randomUUID` is missing on pages without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function send(fetcher: typeof fetch, request: Request): Promise<{ body: object; requestId: string | null }> {
  const deadline = Date.now() + request.deadlineMs;
  let uncertain = false;
  for (let tries = 1; ; tries += 1) {
    const outcome = await tryOnce(fetcher, request, Math.min(request.timeoutMs, deadline - Date.now()));
    if (outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 300 && outcome.body) {
      return { body: outcome.body, requestId: outcome.headers.get('x-request-id') };
    }
    const wait = waitAfter(outcome, tries);
    const again = tries <= request.retries && mayRetry(outcome, request.repeatable) && Date.now() + wait < deadline;
    uncertain ||= outcome.kind === 'lost' || (outcome.status >= 500 && outcome.status !== 501);
    if (!again) throw errorOf(outcome, request, tries, uncertain);
    await sleep(wait, request.signal);
  }
}

/**
 * Sends the request once. Failures of the network and timeouts are returned as an outcome.
 * @throws only the reason of the caller's signal
 */
async function tryOnce(fetcher: typeof fetch, { url, init, signal }: Request, timeoutMs: number): Promise<Outcome> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const end = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => controller.abort(), Math.max(0, timeoutMs));
  try {
    const response = await fetcher(url, { ...init, signal: controller.signal });
    return await answerOf(response);
  } catch (cause) {
    signal?.throwIfAborted();
    return { kind: 'lost', timedOut: controller.signal.aborted, cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/**
 * Reads an answer.
 * @throws when a success is not JSON: it is not the service's answer, and the result of the call is unknown
 */
async function answerOf(response: Response): Promise<Outcome> {
  const { status, headers } = response;
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) throw new SyntaxError('The answer is not a JSON object.');
    return { kind: 'answer', status, headers, body: body as Record<string, unknown> };
  } catch (cause) {
    if (response.ok) throw cause;
    return { kind: 'answer', status, headers, body: null };
  }
}

function errorOf(outcome: Outcome, { url, init, idempotencyKey }: Request, attempts: number, uncertain: boolean): CallError {
  const what = `${init.method} ${url.split('?')[0]}`;
  const requestId = outcome.kind === 'answer' ? outcome.headers.get('x-request-id') : null;
  const trace: Trace = { requestId, idempotencyKey, attempts, uncertain };
  if (outcome.kind === 'answer') return apiError(outcome.status, outcome.body ?? {}, trace);
  const { cause, timedOut } = outcome;
  if (timedOut) return new TimeoutError(`${what}: no answer in time`, trace, { cause });
  return new ConnectionError(`${what}: ${wordsOf(cause)}`, trace, { cause });
}

/** Returns the message of an error with that of its cause: `fetch failed` alone does not say why. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
