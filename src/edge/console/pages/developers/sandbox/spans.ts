const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Offered steps of the clock: to the end of a payment's validity, of a code, or of retention. */
export const SPANS = {
  '10m': 10 * MINUTE_MS,
  '1h': HOUR_MS,
  '25h': 25 * HOUR_MS,
  '8d': 192 * HOUR_MS,
  '31d': 744 * HOUR_MS,
} as const;
