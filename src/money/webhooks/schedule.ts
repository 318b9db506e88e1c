/** Age of an earlier failure that shows a lasting outage: at most a day, and more than the retries of one delivery usually take. */
export const FAILED_BEFORE_MS = { from: 24 * 3_600_000, to: 2 * 3_600_000 };

/**
 * Returns the wait after a failed attempt. There is one immediate attempt and one after each wait of the schedule: five waits
 * make six attempts (docs/contract/webhooks-and-signatures.md).
 * @param attempt number of the failed attempt, from 1
 * @returns milliseconds, or null after the last attempt
 */
export function retryDelay(schedule_ms: readonly number[], attempt: number): number | null {
  return schedule_ms[attempt - 1] ?? null;
}
