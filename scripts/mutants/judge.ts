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
/** An error that a slow machine can cause as well. */
const WAITED = /\d ms|time|deadline|ECONN|closed|abort/i;

/** What the mutants of a run share. */
export interface Suite {
  covered: readonly Covered[];
  /** Test files for one mutant, at most. */
  max_files: number;
  /** Time that any run may take besides its share of the dry run. */
  slack_ms: number;
  /** Mutants found so far, by source file and test file: where one was found, the next often is. */
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
 * Tests that execute the place: first those that found most in its file, then one with the name of the file and, of SQL, the
 * test of all statements, then those of the room, the quickest first; properties last.
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
 * Runs a test on the mutant. A busy machine can make any test late, so lateness is proved: a failed wait must fail twice, and a run
 * that does not end is compared with one of the unchanged source at the same time.
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
