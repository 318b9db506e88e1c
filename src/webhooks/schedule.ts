/** An endpoint that has answered nothing but failures for so long is deactivated. */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/**
 * How long to wait after a failed attempt; null when it was the last one. One immediate attempt and one after each
 * wait of the schedule: five waits make six attempts (docs/contract/webhooks-and-signatures.md).
 * @param attempt which one failed, counted from 1
 */
export function retryDelay(schedule_ms: readonly number[], attempt: number): number | null {
  return schedule_ms[attempt - 1] ?? null;
}
