import { API_VERSION } from './generated/operations.ts';
import type { Warning } from './generated/types.ts';
import type { Operations } from './shapes.ts';

/** Options of a client. All except the base URL have a default. */
export interface PirogueOptions {
  /** Base URL of the service, such as `https://pay.example`. The key, not the URL, selects sandbox or live. */
  baseUrl: string;
  /** API version. Default: the version that these types were generated from. */
  version?: string | undefined;
  /**
   * Called with the `warnings` of a successful call, such as fields that the service does not know. Errors that it throws are ignored,
   * because the call was carried out. `create` and `charge` of payments also return the warnings.
   */
  onWarnings?: ((warnings: readonly Warning[], call: WarnedCall) => void) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Maximum number of retries; default 3. */
  retries?: number | undefined;
  /** Timeout of each attempt in milliseconds; default 30 000. */
  timeoutMs?: number | undefined;
  /** Maximum duration of a call with all attempts and waits, in milliseconds; default 120 000. */
  deadlineMs?: number | undefined;
}

/** The call that warnings are about. */
export interface WarnedCall {
  /** The operation of the OpenAPI document, such as `createPayment`. */
  operation: keyof Operations;
  /** The `X-Request-Id` of the answer. */
  requestId: string | null;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call with the signal's reason. It is then unknown whether the call was carried out. */
  signal?: AbortSignal | undefined;
  retries?: number | undefined;
  timeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
  version?: string | undefined;
  /** Your id for the call, at most 64 characters. It is returned as `X-Request-Id`. */
  requestId?: string | undefined;
}

/** Options of a call with an idempotency key. */
export interface CreateOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; any other is a TypeError. Default: a random key, used for all attempts of the call. */
  idempotencyKey?: string | undefined;
}

/** Options of a call that can be made for a connected account. */
export interface AccountOptions {
  /** `acct_…`, sent as `X-Sync`. Absent: the call is for the team itself. An empty one is a TypeError. */
  account?: string | undefined;
}

export interface Settings {
  key: string;
  baseUrl: string;
  version: string;
  fetch: typeof fetch;
  onWarnings: NonNullable<PirogueOptions['onWarnings']>;
  retries: number;
  timeoutMs: number;
  deadlineMs: number;
}

/**
 * Validates the options and fills in the defaults.
 * @throws TypeError for an invalid key or option
 */
export function settingsOf(key: string, options: PirogueOptions): Settings {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('The key must be the one you were given: it is empty or has spaces.');
  if (/^sk[._]/.test(key) && 'document' in globalThis) {
    throw new TypeError('A secret key must not be used in a browser: use a public key (pk.), or call from your server.');
  }
  return {
    key,
    baseUrl: addressOf(options?.baseUrl),
    version: visible('version', options.version === undefined ? API_VERSION : options.version),
    // Called without `this`, as browsers and Workers need it. Looked up at each call, so that the global can be replaced.
    onWarnings: options.onWarnings ?? (() => {}),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries: atLeast(0, 'retries', options.retries ?? 3),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 30_000),
    deadlineMs: atLeast(1, 'deadlineMs', options.deadlineMs ?? 120_000),
  };
}

/**
 * Returns the value.
 * @throws TypeError when it is not a number, too small, or more than a timer can wait (24 days in milliseconds)
 */
export function atLeast(least: number, name: string, value: number): number {
  if (!(value >= least && value < 2 ** 31)) throw new TypeError(`${name} must be a number of at least ${least}, not ${value}.`);
  return value;
}

/**
 * Returns the value of a header that has the form of an Idempotency-Key. `fetch` throws the same error for a value that no header can
 * carry as for a broken connection, after which a call is retried.
 * @throws TypeError
 */
export function visible(name: string, value: string): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new TypeError(`${name} must be 1 to 255 visible ASCII characters, not ${JSON.stringify(value)}.`);
}

/**
 * Returns the value of a header that the service replaces where it cannot use it.
 * @throws TypeError when no header can carry it
 */
export function carried(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new TypeError(`${name} has a character that no header can carry: ${JSON.stringify(value)}.`);
}

function addressOf(text: string | undefined): string {
  if (!text) throw new TypeError("baseUrl is required: new Pirogue(key, { baseUrl: 'https://pay.example' }).");
  if (!/^https?:\/\//.test(text)) throw new TypeError(`baseUrl must be the address of the service, not ${text}.`);
  return new URL(text).href.replace(/\/+$/, '');
}
