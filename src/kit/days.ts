const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the first moment of a UTC day such as `2026-11-23`, in milliseconds since the epoch; null for a text that names no day. Alone,
 * Date.parse takes the 30th of February for the 2nd of March, `2026` for its first day, and years of six digits.
 */
export function startOfUtcDay(text: string): number | null {
  const start = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(text) ? start : null;
}
