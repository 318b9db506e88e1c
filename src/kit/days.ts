const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the first moment of a UTC day such as `2026-11-23`, in milliseconds since the epoch; null for text that is not a day.
 * Date.parse alone also accepts 30 February (as 2 March), `2026` (as its first day) and years of six digits.
 */
export function startOfUtcDay(text: string): number | null {
  const start = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text) ? start : null;
}
