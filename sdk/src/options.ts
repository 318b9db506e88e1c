import { API_VERSION } from './generated/operations.ts';

/** How a client behaves; everything but the address has a default. */
export interface PirogueOptions {
  /** Where the service is, such as `https://pay.example`. The key tells sandbox and live apart, not the address. */
  baseUrl: string;
  /** Version of the API; default: the one these types were written from. */
  version?: string | undefined;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How often a call is tried again; default 3. */
  retries?: number | undefined;
  /** How long each try may take, in milliseconds; default 30 000. */
  timeoutMs?: number | undefined;
  /** How long a call may take with all its tries and the waits between them, in milliseconds; default 120 000. */
  deadlineMs?: number | undefined;
}

/** What can be said of a single call. */
export interface CallOptions {
  /** Ends the call with the signal's reason. Whether it was carried out is then unknown. */
  signal?: AbortSignal | undefined;
  retries?: number | undefined;
  timeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
  version?: string | undefined;
  /** Your name for the call, at most 64 characters; it comes back as `X-Request-Id`. */
  requestId?: string | undefined;
}

/** Of a call that does something once. */
export interface CreateOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; default: a random one, kept over all tries of the call. */
  idempotencyKey?: string | undefined;
}

/** Of a call that can be about a connected account. */
export interface AccountOptions {
  /** `acct_…`: sent as `X-Sync`. */
  account?: string | undefined;
}

export interface Settings {
  key: string;
  baseUrl: string;
  version: string;
  fetch: typeof fetch;
  retries: number;
  timeoutMs: number;
  deadlineMs: number;
}

/** @throws TypeError for what could never work */
export function settingsOf(key: string, options: PirogueOptions): Settings {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('The key must be the one you were given: it is empty or has spaces.');
  if (/^sk[._]/.test(key) && 'document' in globalThis) {
    throw new TypeError('A secret key does not belong into a browser: use a public one (pk.), or call from your server.');
  }
  return {
    key,
    baseUrl: addressOf(options.baseUrl),
    version: options.version ?? API_VERSION,
    // Called without `this`, which browsers and Workers insist on; looked up late, so that it can be replaced.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries: atLeast(0, 'retries', options.retries ?? 3),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 30_000),
    deadlineMs: atLeast(1, 'deadlineMs', options.deadlineMs ?? 120_000),
  };
}

/** @throws TypeError when the value is no number, too small, or more than a timer can wait (24 days in milliseconds) */
export function atLeast(least: number, name: string, value: number): number {
  if (!(value >= least && value < 2 ** 31)) throw new TypeError(`${name} must be a number of at least ${least}, not ${value}.`);
  return value;
}

function addressOf(text: string): string {
  if (!/^https?:\/\//.test(text)) throw new TypeError(`baseUrl must be the address of the service, not ${text}.`);
  return new URL(text).href.replace(/\/+$/, '');
}
