import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 100;

/**
 * Repeats `look` until it returns something other than null or false.
 * @throws Error with `what` when that takes too long
 */
export async function until<T>(
  what: string | (() => string),
  timeout_ms: number,
  look: () => Promise<T | null | false> | T | null | false,
): Promise<T> {
  const deadline = performance.now() + timeout_ms;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > deadline) {
      throw new Error(`after ${Math.round(timeout_ms / 1000)} s still not: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(STEP_MS);
  }
}

/** Returns the status and text of an answer; null when there is none. */
export async function ask(url: string, timeout_ms = 2_000, method = 'GET'): Promise<{ status: number; text: string } | null> {
  try {
    const answer = await fetch(url, { method, signal: AbortSignal.timeout(timeout_ms) });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}
