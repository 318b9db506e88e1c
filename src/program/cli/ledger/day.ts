import { InvalidArgumentError } from 'commander';
import { UsageFailure } from '../failure.ts';

/**
 * Parses a day such as `2026-01-31`. Returns its first moment in UTC.
 * @throws InvalidArgumentError
 */
export function calendarDay(text: string): Date {
  const day = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : Number.NaN);
  // Date parses 30 February as 2 March.
  if (!Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return day;
  throw new InvalidArgumentError('Use a day such as 2026-01-31.');
}

/**
 * Rejects a period that ends before it begins. Both days are included.
 * @throws UsageFailure
 */
export function refuseReversed({ from, to }: { from?: Date; to?: Date }): void {
  if (from && to && to < from)
    throw new UsageFailure('--to is before --from', 'Both days are included, so they may be the same.');
}
