/** First wait without a word from the service; each further one is twice as long, up to the last. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** What one try came to. */
export type Outcome =
  | { kind: 'answer'; status: number; headers: Headers; body: Record<string, unknown> | null }
  | { kind: 'lost'; timedOut: boolean; cause: unknown };

/**
 * Whether the contract (docs/contract/errors.md) allows another try: after 429, 5xx, and a lost answer when a second try
 * cannot do the thing twice. 501 will be the same tomorrow.
 */
export function mayRetry(outcome: Outcome, repeatable: boolean): boolean {
  if (outcome.kind === 'lost') return repeatable;
  return outcome.status === 429 || (outcome.status >= 500 && outcome.status !== 501);
}

/**
 * Milliseconds until the next try. What the service asks for is the least; the rest is spread, so that callers that
 * failed together do not come back together.
 * @param tries how many there have been
 */
export function waitAfter(outcome: Outcome, tries: number, random: () => number = Math.random): number {
  const backOff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  const asked = outcome.kind === 'answer' ? retryAfterMs(outcome.headers.get('retry-after')) : null;
  return asked === null ? backOff * (0.5 + random() / 2) : asked + FIRST_WAIT_MS * random();
}

/** Seconds, or from what stands in between a date. */
function retryAfterMs(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Waits, or ends with the signal's reason. */
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
