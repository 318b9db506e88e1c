import type { Verdict } from './judge.ts';
import { oneLine } from './mutant.ts';

/** Counts of a group of verdicts. */
export interface Score {
  name: string;
  /** Mutants of the group in the sources. */
  all: number;
  killed: number;
  /** Killed mutants with which a test did not end. */
  timeout: number;
  survived: number;
  /** Survivors whose place no test executes. */
  uncovered: number;
  /** Survivors that behave like the program. */
  equivalent: number;
  /** Rejected by the type check; not counted. */
  invalid: number;
}

/** A verdict, with the reason when a survivor behaves like the program. */
export type Judged = Verdict & { equivalent?: string };

const Z_95 = 1.959964;

/** Returns the counts of a group of verdicts. */
export function scoreOf(name: string, all: number, verdicts: readonly Judged[]): Score {
  const count = (test: (verdict: Judged) => boolean) => verdicts.filter(test).length;
  return {
    name,
    all,
    killed: count(isKilled),
    timeout: count(({ status }) => status === 'timeout'),
    survived: count(isSurvivor),
    uncovered: count(({ status }) => status === 'uncovered'),
    equivalent: count((verdict) => isSurvivor(verdict) && verdict.equivalent !== undefined),
    invalid: count(({ status }) => status === 'invalid'),
  };
}

/** Returns whether a test found the mutant. */
export function isKilled({ status }: Verdict): boolean {
  return status === 'killed' || status === 'timeout';
}

/** Returns whether no test found the mutant. */
export function isSurvivor({ status }: Verdict): boolean {
  return status === 'survived' || status === 'uncovered';
}

/** Returns Wilson's confidence interval of a ratio at 95 %. */
export function wilson(hits: number, total: number): [number, number] {
  if (total === 0) return [0, 1];
  const p = hits / total;
  const scale = 1 + Z_95 ** 2 / total;
  const middle = p + Z_95 ** 2 / (2 * total);
  const width = Z_95 * Math.sqrt((p * (1 - p)) / total + Z_95 ** 2 / (4 * total ** 2));
  return [Math.max(0, (middle - width) / scale), Math.min(1, (middle + width) / scale)];
}

/** Returns the table of scores: by room, by language, and of the whole sample. */
export function table(scores: readonly Score[]): string {
  const head = row([
    '',
    'mutants',
    'sample',
    'killed',
    'timeout',
    'survived',
    'equivalent',
    'ratio [95 %]',
    'without equivalents [95 %]',
  ]);
  const rows = scores.map((one) => {
    const total = one.killed + one.survived;
    const counts = [one.all, total, one.killed, one.timeout, one.survived, one.equivalent].map(String);
    return row([one.name, ...counts, ratio(one.killed, total), ratio(one.killed, total - one.equivalent)]);
  });
  return [head, ...rows].join('\n');
}

function row([name, ...cells]: string[]): string {
  return (name ?? '').padEnd(12) + cells.map((cell, i) => cell.padStart(i < 6 ? 11 : 28)).join('');
}

function ratio(hits: number, total: number): string {
  if (total === 0) return '-';
  const [low, high] = wilson(hits, total);
  const percent = (value: number) => (value * 100).toFixed(1);
  return `${percent(hits / total)} % [${percent(low)}, ${percent(high)}]`;
}

/** Returns one line about a verdict. */
export function lineOf({ mutant, status, seconds, by, tests, covering }: Verdict): string {
  const { file, line, mutator, from, to, id } = mutant;
  const found = by ? ` by ${by}` : status === 'survived' ? ` (${tests} of ${covering} test files)` : '';
  return `${status.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${id} ${file}:${line} ${mutator}  ${oneLine(from)}  =>  ${oneLine(to) || '(nothing)'}${found}`;
}
