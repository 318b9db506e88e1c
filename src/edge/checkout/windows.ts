export const MINUTE_MS = 60_000;

/**
 * How long an operator waits for the PIN. Contains only operators that document it; the others get no countdown.
 * MTN: momodeveloper.mtn.com, common errors, COULD_NOT_PERFORM_TRANSACTION ("approve transaction within 5 minutes").
 */
const WINDOWS: Record<string, number> = { mtn: 5 * MINUTE_MS };

/**
 * Returns the confirmation window in milliseconds; null when it is not known.
 * @param channelId `<country>.<operator>`
 */
export function promptWindow(channelId: string): number | null {
  return WINDOWS[channelId.split('.')[1] ?? ''] ?? null;
}
