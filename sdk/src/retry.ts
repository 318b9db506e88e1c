/** First wait when the service does not specify one. Each further wait is twice as long, up to the maximum. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8_000;

/** Result of one attempt. */
export type Outcome =
  | { kind: 'answer'; status: number; headers: Headers; body: Record<string, unknown> | null }
  | { kind: 'lost'; timedOut: boolean; cause: unknown };

/**
 * Whether another attempt is allowed: after 429, after 5xx except 501, and after a lost answer when a repeated attempt cannot
 * take effect twice. A 501 is permanent.
 */
export function mayRetry(outcome: Outcome, repeatable: boolean): boolean {
  if (outcome.kind === 'lost') return repeatable;
  return outcome.status === 429 || (outcome.status >= 500 && outcome.status !== 501);
}

/**
 * Returns the milliseconds until the next attempt. A `Retry-After` of the service is the minimum. Random jitter spreads the
 * attempts of callers that failed at the same time.
 * @param tries number of attempts so far
 */
export function waitAfter(outcome: Outcome, tries: number, random: () => number = Math.random): number {
  const backOff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  const asked = outcome.kind === 'answer' ? retryAfterMs(outcome.headers.get('retry-after')) : null;
  return asked === null ? backOff * (0.5 + random() / 2) : asked + FIRST_WAIT_MS * random();
}

/** Parses `Retry-After`: seconds, or a date, which proxies may send. */
function retryAfterMs(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/**
 * Waits.
 * @throws the signal's reason when it is aborted
 */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
