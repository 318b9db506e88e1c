import type { Outcome } from './run.ts';

const MAX_EXAMPLES = 4;
const COUNTED = ['orders', 'refunds', 'payouts', 'cancelled'] as const;
const FOUND = ['lost', 'twice', 'stuck', 'waiting', 'events', 'books'] as const;
const HEADS = ['fault', ...COUNTED, 'gap', 'back', 'errors', ...FOUND, 'verdict'];

/** Returns the outcomes as a table that is Markdown too, with examples of what was found below it. */
export function reportOf(outcomes: readonly Outcome[]): string {
  const rows = [HEADS, HEADS.map(() => '---'), ...outcomes.map(rowOf)];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const examples = outcomes.flatMap((outcome) => examplesOf(outcome));
  return [table, examples.join('\n'), conclusionOf(outcomes)].filter((part) => part !== '').join('\n\n');
}

function rowOf(outcome: Outcome): string[] {
  const { fault, not_run, gap_s, back_s, errors, verdict, waiting, passed } = outcome;
  if (not_run !== null) return [fault, ...HEADS.slice(2).map(() => ''), `not run: ${not_run}`];
  const kinds = Object.entries(errors).map(([kind, count]) => `${count} ${kind}`);
  const counted = COUNTED.map((name) => String(outcome[name]));
  const found = FOUND.map((name) => String((name === 'waiting' ? waiting : verdict[name]).length));
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const back = back_s === null ? '' : seconds(back_s);
  return [fault, ...counted, seconds(gap_s), back, kinds.join(', ') || 'none', ...found, passed ? 'pass' : 'FAIL'];
}

function examplesOf({ fault, verdict, found }: Outcome): string[] {
  const parts: [string, string[]][] = [...Object.entries(verdict), ['found', found]];
  return parts.flatMap(([part, list]) => {
    const more = list.length > MAX_EXAMPLES ? [`  … ${list.length - MAX_EXAMPLES} more`] : [];
    return list.length === 0 ? [] : [`${fault}, ${part}:`, ...list.slice(0, MAX_EXAMPLES).map((line) => `  ${line}`), ...more];
  });
}

function conclusionOf(outcomes: readonly Outcome[]): string {
  const failed = outcomes.filter(({ passed }) => !passed).map(({ fault }) => fault);
  const skipped = outcomes.filter(({ not_run }) => not_run !== null).length;
  if (failed.length > 0) return `FAIL: ${failed.join(', ')}`;
  return skipped === 0 ? 'PASS' : `PASS, but ${skipped} of ${outcomes.length} were not run`;
}
