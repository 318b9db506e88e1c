import { type Config, readConfig } from '../../platform/config/config.ts';
import { type SendResult, send } from '../../kit/fetch.ts';
import { keysFilePath, readKeysFile } from '../start/demo.ts';
import { type ApiOptions, webAddress } from './api-options.ts';
import { Failure } from './failure.ts';

const TIMEOUT_MS = 30_000;
/** Maximum size of an answer: a hundred events of the maximum size. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Answer of the service. */
export interface Answer {
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the operation's schema promises
  body: any;
}

/** The service rejected a request or did not answer. */
export class RequestError extends Failure {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Milliseconds after which to retry; null when a retry cannot help. */
  readonly wait_ms: number | null;

  constructor(status: number, wait_ms: number | null, message: string, advice: string) {
    super(message, advice);
    this.status = status;
    this.wait_ms = wait_ms;
  }
}

/** Client of the running service. It uses a sandbox key, as a merchant's server would. */
export class Api {
  readonly key: string;
  readonly #base: string;

  constructor(base: string, key: string) {
    this.#base = base.replace(/\/+$/, '');
    this.key = key;
  }

  /**
   * Calls the service.
   * @throws RequestError for any answer other than a success, or for none
   */
  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer> {
    const result = await send({
      method,
      url: this.#base + path,
      guard: 'none',
      timeout_ms: TIMEOUT_MS,
      max_bytes: MAX_BYTES,
      headers: { authorization: this.key, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (result.kind === 'failed') throw this.#silence(result);
    const answer = parsed(result.body);
    if (!answer)
      throw new RequestError(result.status, temporary(result.status), `the server at ${this.#base} is not Pirogue`, ADDRESS);
    if (result.status >= 300) throw requestErrorOf(result.status, result.headers['retry-after'], answer);
    return { headers: result.headers, body: answer };
  }

  #silence(result: Extract<SendResult, { kind: 'failed' }>): RequestError {
    return new RequestError(0, AGAIN_MS, `the service at ${this.#base} does not respond (${result.error})`, ADDRESS);
  }
}

const AGAIN_MS = 1_000;
const ADDRESS = 'Start it with "npm start", or give its address with --url.';

/**
 * Opens a client. The key and the URL come from the options, the environment or keys.json, in this order.
 * @throws Failure for a missing or unsuitable key
 */
export function openApi(options: ApiOptions): Api {
  const config = readConfig(process.env);
  const keys = readKeysFile(config);
  const key = options.key ?? process.env.PIROGUE_KEY ?? keys?.sandbox.secret;
  if (!key) throw new Failure(`no key: ${keysFilePath(config)} does not exist`, 'Give one with --key or PIROGUE_KEY.');
  return new Api(options.url ?? addressOf(config, keys?.base_url), checked(key));
}

function addressOf(config: Config, demo: string | undefined): string {
  const { PIROGUE_URL } = process.env;
  if (!PIROGUE_URL) return demo ?? config.public_url;
  try {
    return webAddress(PIROGUE_URL);
  } catch {
    throw new Failure(`PIROGUE_URL=${PIROGUE_URL} cannot be used`, 'Set it to an address such as http://127.0.0.1:8080.');
  }
}

/**
 * Validates a key without printing it, because users may paste the wrong one.
 * @throws Failure
 */
function checked(key: string): string {
  if (/^(sk|rk)_test\.\w{43}$/.test(key)) return key;
  const advice = 'Give a secret sandbox key (sk_test.…) with --key or PIROGUE_KEY: "pirogue keys create" makes one.';
  if (/^(sk|rk|pk)\./.test(key)) throw new Failure('this is a live key; the command works in the sandbox only', advice);
  if (key.startsWith('pk_test.')) throw new Failure('this is a public key, which does not have the permission', advice);
  throw new Failure('this is not an API key', advice);
}

// biome-ignore lint/suspicious/noExplicitAny: see Answer
function parsed(text: string): any {
  try {
    const value = JSON.parse(text);
    return typeof value?.message === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the delay before a retry. A proxy answers 502 while the service restarts. */
function temporary(status: number): number | null {
  return status >= 500 ? AGAIN_MS : null;
}

function requestErrorOf(
  status: number,
  retryAfter: unknown,
  body: { message: string; errors?: Record<string, string[]> },
): RequestError {
  const seconds = Math.min(60, Math.max(1, Number(retryAfter) || 1));
  const faults = Object.entries(body.errors ?? {}).map(([field, words]) => `${field}: ${words.join(', ')}`);
  const message = `the service returned ${status}: ${body.message}`;
  return new RequestError(
    status,
    status === 429 ? seconds * 1_000 : temporary(status),
    message,
    faults.join('; ') || adviceOn(status, seconds),
  );
}

function adviceOn(status: number, seconds: number): string {
  if (status === 401) return 'The key is unknown, revoked or inactive: "pirogue keys list" shows the keys.';
  if (status === 403 || status === 406) return 'The key lacks the permission: use the secret key of the team.';
  if (status === 404) return 'Check the id, and that the key is of the same team and environment.';
  if (status === 429) return `Wait ${seconds} s.`;
  return status >= 500 ? 'See the log of the service.' : 'Its state does not allow it.';
}
