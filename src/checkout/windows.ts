const MINUTE_MS = 60_000;

/**
 * How long an operator waits for the PIN. Only where the operator says so; nothing is counted down for the others.
 * MTN: momodeveloper.mtn.com, common errors, COULD_NOT_PERFORM_TRANSACTION ("approve transaction within 5 minutes").
 */
const WINDOWS: Record<string, number> = { mtn: 5 * MINUTE_MS };

/** Null when it is not known. @param channelId `<country>.<operator>` */
export function promptWindow(channelId: string): number | null {
  return WINDOWS[channelId.split('.')[1] ?? ''] ?? null;
}
