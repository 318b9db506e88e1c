import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 10;

type Truthy<T> = Exclude<T, null | undefined | false>;

/**
 * Polls until the result is truthy.
 * @returns null when the time limit is reached
 */
export async function waitFor<T>(ask: () => T, limitMs: number): Promise<Truthy<T> | null> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = ask();
    if (answer) return answer as Truthy<T>;
    if (performance.now() >= deadline) return null;
    await sleep(STEP_MS);
  }
}
