import fs from 'node:fs';
import path from 'node:path';
import type { Covered } from './coverage.ts';
import { type Mutant, mutate } from './mutant.ts';
import { LAST, OF_SQL, ROOMS } from './rooms.ts';
import { type Place, runTest } from './run-test.ts';

/**
 * `killed`: a test failed; `timeout`: a test did not end; `survived`: all tests passed; `uncovered`: no test executes the place;
 * `invalid`: the type check rejects it.
 */
export type Status = 'killed' | 'timeout' | 'survived' | 'uncovered' | 'invalid';

export interface Verdict {
  mutant: Mutant;
  status: Status;
  /** Test file and title that found it. */
  by: string;
  seconds: number;
  /** Test files that ran, of those that execute the place. */
  tests: number;
  covering: number;
}

const TIMES_DRY = 5;
/** Matches errors that a slow machine can also cause. */
const WAITED = /\d ms|time|deadline|ECONN|closed|abort/i;

/** Data shared by the mutants of a run. */
export interface Suite {
  covered: readonly Covered[];
  /** Maximum test files for one mutant. */
  max_files: number;
  /** Time limit of a run besides its multiple of the dry run, in milliseconds. */
  slack_ms: number;
  /** Number of mutants found so far, by source file and test file: a test that found one often finds the next. */
  found: Map<string, number>;
}

/** Plants a mutant and runs the tests that execute its place until one fails, at most `max_files`. */
export async function judge(place: Place, mutant: Mutant, suite: Suite): Promise<Verdict> {
  const started = performance.now();
  const candidates = candidatesOf(mutant, suite);
  const chosen = candidates.slice(0, suite.max_files);
  const file = path.join(place.root, mutant.file);
  const source = fs.readFileSync(file, 'utf8');
  const verdict = (status: Status, by = '', tests = chosen.length): Verdict => ({
    ...{ mutant, status, by, tests, covering: candidates.length },
    seconds: (performance.now() - started) / 1000,
  });
  if (candidates.length === 0) return verdict('uncovered');
  try {
    for (const [i, test] of chosen.entries()) {
      const { outcome, failed } = await proved(place, test, suite, { file, source, mutated: mutate(source, mutant) });
      if (outcome === 'passed') continue;
      suite.found.set(pair(mutant, test.file), (suite.found.get(pair(mutant, test.file)) ?? 0) + 1);
      return verdict(outcome === 'failed' ? 'killed' : 'timeout', `${test.file}: ${failed}`, i + 1);
    }
    return verdict('survived');
  } finally {
    fs.writeFileSync(file, source);
  }
}

function nameOf(file: string): string {
  return (path.basename(file).split('.')[0] as string).replace(/-store$/, '');
}

function pair(mutant: Mutant, test: string): string {
  return `${mutant.file} ${test}`;
}

/**
 * Returns the tests that execute the place: first those that found most in its file, then the one with the name of the file and, for
 * SQL, the test of all statements, then those of the room, the fastest first. Property tests come last.
 */
export function candidatesOf(mutant: Mutant, { covered, found }: Suite): Covered[] {
  const own = ROOMS.find(({ name }) => name === mutant.room)?.tests ?? [];
  const rank = ({ file }: Covered) => {
    if (nameOf(file) === nameOf(mutant.file) || (mutant.language === 'sql' && file.startsWith(OF_SQL))) return -1;
    const at = own.findIndex((name) => file.startsWith(`test/${name}`));
    return at >= 0 ? at : own.length + (file.startsWith(LAST) ? 1 : 0);
  };
  const finds = ({ file }: Covered) => found.get(pair(mutant, file)) ?? 0;
  return covered
    .filter(({ ids }) => ids.has(mutant.id))
    .sort((a, b) => finds(b) - finds(a) || rank(a) - rank(b) || a.seconds - b.seconds);
}

/**
 * Runs a test on the mutant. A busy machine can make any test late, so late results are verified: a failed wait must fail twice, and a
 * run that does not end is compared with a concurrent run on the unchanged source.
 */
async function proved(
  place: Place,
  test: Covered,
  { slack_ms }: Suite,
  { file, source, mutated }: Record<'file' | 'source' | 'mutated', string>,
) {
  const run = (text: string, seconds: number) => {
    fs.writeFileSync(file, text);
    return runTest(place, test.file, TIMES_DRY * seconds * 1000 + slack_ms);
  };
  const first = await run(mutated, test.seconds);
  if (first.outcome === 'failed' && WAITED.test(first.error)) return run(mutated, test.seconds);
  if (first.outcome !== 'timeout') return first;
  const unchanged = await run(source, first.seconds);
  return unchanged.seconds * TIMES_DRY <= first.seconds ? first : run(mutated, unchanged.seconds);
}
