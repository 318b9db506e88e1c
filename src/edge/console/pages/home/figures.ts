import type { DayFigures, Figures } from '../../../../core/figures/schema.ts';
import type { TeamVisit } from '../../page.ts';

const DAY_MS = 86_400_000;

/** Periods that the page offers, in days up to and including today. */
export const PERIODS = [7, 30, 90] as const;

export type Period = (typeof PERIODS)[number];

const DEFAULT_PERIOD: Period = 30;

/** Returns the period in the address, or the default. */
export function periodOf({ query }: TeamVisit): Period {
  return PERIODS.find((days) => String(days) === query.days) ?? DEFAULT_PERIOD;
}

/** Returns the UTC days of a period, the oldest first. */
export function daysOf(period: Period, at: number): string[] {
  return Array.from({ length: period }, (_, i) => new Date(at - (period - 1 - i) * DAY_MS).toISOString().slice(0, 10));
}

/** Returns when the first day of a period begins. */
export function startOf(period: Period, at: number): Date {
  return new Date(`${daysOf(period, at)[0]}T00:00:00Z`);
}

const NOTHING: Figures = {
  ...{ succeeded: 0, failed: 0, cancelled: 0, expired: 0, collected_minor: 0n, confirmed: 0, confirm_ms: 0n },
  ...{ refunded: 0, refunded_minor: 0n },
};

/** Adds figures up. */
export function sum(rows: readonly Figures[]): Figures {
  return rows.reduce<Figures>(
    (total, row) => ({
      succeeded: total.succeeded + row.succeeded,
      failed: total.failed + row.failed,
      cancelled: total.cancelled + row.cancelled,
      expired: total.expired + row.expired,
      collected_minor: total.collected_minor + row.collected_minor,
      confirmed: total.confirmed + row.confirmed,
      confirm_ms: total.confirm_ms + row.confirm_ms,
      refunded: total.refunded + row.refunded,
      refunded_minor: total.refunded_minor + row.refunded_minor,
    }),
    NOTHING,
  );
}

/** Returns the shown currency, and all currencies: the team's own first, then by their number of payments. */
export function currenciesOf(visit: TeamVisit, rows: readonly DayFigures[]): { shown: string; all: string[] } {
  const own = visit.team.default_currency;
  const found = [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, those]) => ({ currency, payments: endedOf(sum(those)) }))
    .sort((a, b) => b.payments - a.payments)
    .map(({ currency }) => currency);
  const all = [...new Set(found.includes(own) || found.length === 0 ? [own, ...found] : found)];
  return { shown: all.find((currency) => currency === visit.query.currency) ?? (all[0] as string), all };
}

/** Returns the number of payments that ended. */
export function endedOf({ succeeded, failed, cancelled, expired }: Figures): number {
  return succeeded + failed + cancelled + expired;
}

/** Returns the share of successful payments among those that a payer tried to pay; null when there was none. */
export function successOf(rows: readonly DayFigures[]): number | null {
  const tried = sum(rows.filter(({ channel }) => channel !== ''));
  return endedOf(tried) === 0 ? null : tried.succeeded / endedOf(tried);
}

/** Returns the average milliseconds from a charge to its success; null when there was none. */
export function confirmOf({ confirmed, confirm_ms }: Figures): number | null {
  return confirmed === 0 ? null : Number(confirm_ms) / confirmed;
}
