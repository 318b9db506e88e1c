import { startOfUtcDay } from '../../../../kit/days.ts';
import type { Days } from '../../../../money/ledger/days.ts';

/** Returns the month of the address, `2026-11`; the current one when it names none. */
export function monthOf(given: string | undefined, at: number): string {
  return given !== undefined && /^2\d{3}-(?:0[1-9]|1[0-2])$/.test(given) ? given : new Date(at).toISOString().slice(0, 7);
}

/** Returns the month that is this many months later; earlier when negative. */
export function monthBeside(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Returns the days of a month. */
export function daysOfMonth(month: string): Days {
  return { from: `${month}-01`, before: `${monthBeside(month, 1)}-01` };
}

/** Returns a day of the address as a range; null when it is not a day, such as `2026-02-30`. */
export function oneDay(given: string): Days | null {
  const start = given.startsWith('2') ? startOfUtcDay(given) : null;
  return start === null ? null : { from: given, before: new Date(start + 86_400_000).toISOString().slice(0, 10) };
}
