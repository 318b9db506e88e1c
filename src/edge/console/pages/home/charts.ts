import type { DayFigures } from '../../../../core/figures/schema.ts';
import { wireFromMinor } from '../../../../kit/money.ts';
import type { Html } from '../../../../kit/html.ts';
import type { TeamVisit } from '../../page.ts';
import { barChart, lineChart, type Series } from '../../parts/charts.ts';
import { dayText, money } from '../../parts/format.ts';
import { daysOf, successOf, sum } from './figures.ts';
import { compactMoney, percent, shortDay } from './format.ts';
import { HOME_TEXTS } from './texts.ts';
import type { Home } from './view.ts';

/** Chart of the amount collected on each day of the period. */
export function collectedChart(visit: TeamVisit, home: Home): Html {
  const { language } = visit;
  const texts = HOME_TEXTS[language];
  const { shown } = home.currencies;
  const amount = (minor: bigint) => money(minor, shown, language);
  return barChart({
    title: texts.byDay,
    summary: texts.byDaySummary(amount(sum(home.days).collected_minor), home.period),
    heads: { name: texts.day, value: texts.amount, open: texts.asTable },
    points: points(visit, home, (rows) => {
      const { collected_minor } = sum(rows);
      return { value: wireFromMinor(collected_minor), text: amount(collected_minor) };
    }),
    tick: (value) => compactMoney(value, shown, language),
  });
}

/** Chart of the success rate of each day of the period. */
export function successChart(visit: TeamVisit, home: Home): Html {
  const { language } = visit;
  const texts = HOME_TEXTS[language];
  const text = (part: number | null) => (part === null ? texts.none : percent(part, language));
  return lineChart({
    title: texts.successByDay,
    summary: texts.successSummary(text(successOf(home.days)), home.period),
    heads: { name: texts.day, value: texts.rate, open: texts.asTable },
    points: points(visit, home, (rows) => {
      const value = successOf(rows);
      return { value, text: text(value) };
    }),
    tick: (value) => percent(value, language),
    highest: 1,
  });
}

function points(
  { language, at }: TeamVisit,
  { period, days }: Home,
  read: (rows: readonly DayFigures[]) => { value: number | null; text: string },
): Series['points'] {
  const byDay = Map.groupBy(days, ({ day }) => day);
  return daysOf(period, at).map((day) => ({
    name: dayText(day, language),
    short: shortDay(day, language),
    ...read(byDay.get(day) ?? []),
  }));
}
