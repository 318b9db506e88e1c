import { failuresOf, type Restart, type Result } from './run.ts';
import type { Bound, Series } from './series.ts';
import { type Judged, median, type Point } from './slope.ts';

const BARS = '▁▂▃▄▅▆▇█';
const PLOT_WIDTH = 24;

/** Returns the results as text: tables that are Markdown too. */
export function reportOf(result: Result): string {
  const { series, bounds, shop, restarts, books, log } = result;
  const failures = failuresOf(result);
  const errors = Object.entries(shop.errors).map(([name, count]) => `${name}: ${count}`);
  const done = Object.entries(shop.done).map(([name, count]) => `${count} ${name}`);
  return [
    table(['series', 'start', 'end', 'slope per hour', '24 h, at least', 'limit', 'verdict', 'course'], series.map(seriesRow)),
    bounds.length > 0 ? table(['share', 'highest', 'bound', 'verdict'], bounds.map(boundRow)) : '',
    `${shop.created} payments in ${Math.round(shop.seconds)} s (${(shop.created / shop.seconds).toFixed(1)} a second); ${done.join(', ')}.`,
    `Restarts: ${restartsOf(restarts, 'stop')}; ${restartsOf(restarts, 'kill')}. ` +
      `Faults at providers: ${books.faults}. Decided by a statement: ${books.decided}.`,
    `Books: ${books.moved} movements at the providers, ${books.differences.length} differences. ` +
      `Events: ${books.received} received, ${books.missing.length} missing, ${books.repeated} repeated.`,
    `Asked to try again: ${shop.deferred_at_s.length} times. Without a complete answer: ${shop.lost_at_s.length} requests.`,
    errors.length > 0 ? `Unexpected answers: ${errors.join(', ')}.` : 'No unexpected answer.',
    ...shop.examples.map((example) => `  ${example}`),
    log.length > 0
      ? `Log: ${log.map(({ what, count }) => `${count} × ${what}`).join('; ')}.`
      : 'Nothing at level warn in the log.',
    conclusionOf(
      failures,
      series.map(({ judged }) => judged.verdict),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns the last lines of a report. They include the number of series that were too short, because those have not passed either. */
export function conclusionOf(failures: readonly string[], verdicts: readonly Judged['verdict'][]): string {
  if (failures.length > 0) return `FAIL\n${failures.map((failure) => `  ${failure}`).join('\n')}`;
  const short = verdicts.filter((verdict) => verdict === 'too short').length;
  return short === 0 ? 'PASS' : `PASS, but ${short} of ${verdicts.length} series were too short to be judged`;
}

function restartsOf(restarts: Result['restarts'], wanted: Restart['how']): string {
  const some = restarts.filter(({ how }) => how === wanted);
  const longest = (part: 'stop_s' | 'start_s') => Math.max(0, ...some.map((restart) => restart[part])).toFixed(1);
  const name = wanted === 'stop' ? 'graceful' : 'by SIGKILL';
  return `${some.length} ${name} (end at most ${longest('stop_s')} s, start at most ${longest('start_s')} s)`;
}

function seriesRow({ name, unit, judged, points }: Series): string[] {
  const { start, end, per_hour, day, verdict } = judged;
  const shown = (value: number) => `${short(value)}${unit === '' ? '' : ` ${unit}`}`;
  const judged_day = verdict === 'too short' ? '' : shown(day.low);
  return [name, shown(start), shown(end), shown(per_hour), judged_day, shown(day.limit), verdict, sparkline(points)];
}

function boundRow({ name, highest, bound }: Bound): string[] {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return [name, percent(highest), percent(bound), highest <= bound ? 'bounded' : 'exceeds'];
}

function short(value: number): string {
  const size = Math.abs(value);
  return size >= 100 ? Math.round(value).toLocaleString('en') : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** Draws medians of parts of the run between the lowest and the highest of them. */
export function sparkline(points: readonly Point[]): string {
  const width = Math.min(PLOT_WIDTH, points.length);
  const values = Array.from({ length: width }, (_, i) => {
    const part = points.slice(Math.floor((i * points.length) / width), Math.floor(((i + 1) * points.length) / width));
    return median(part.map(({ value }) => value));
  });
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const bar = (value: number) => (high > low ? Math.round(((value - low) / (high - low)) * (BARS.length - 1)) : 0);
  return values.map((value) => BARS[bar(value)]).join('');
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows.sort((a, b) => (a[0] as string).localeCompare(b[0] as string))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const print = (line: string[]) => `| ${line.map((cell, i) => cell.padEnd(widths[i] as number)).join(' | ')} |`;
  return [print(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.slice(1).map(print)].join('\n');
}
