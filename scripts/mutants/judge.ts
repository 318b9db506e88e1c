import fs from 'node:fs';
import path from 'node:path';
import type { Covered } from './coverage.ts';
import { type Mutant, mutate } from './mutant.ts';
import { LAST, ROOMS } from './rooms.ts';
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

const LOADED_MS = 10_000;
const TIMES_DRY = 5;

/** What the mutants of a run share. */
export interface Suite {
  covered: readonly Covered[];
  /** Seconds of tests for one mutant, at most, by their dry run. */
  budget_s: number;
  /** Mutants found so far, by source file and test file: where one was found, the next often is. */
  found: Map<string, number>;
}

/** Plants a mutant and runs the tests that execute its place until one fails or the budget is spent. */
export async function judge(place: Place, mutant: Mutant, suite: Suite): Promise<Verdict> {
  const started = performance.now();
  const candidates = candidatesOf(mutant, suite);
  const chosen = withinBudget(candidates, suite.budget_s);
  const file = path.join(place.root, mutant.file);
  const source = fs.readFileSync(file, 'utf8');
  const verdict = (status: Status, by = '', tests = chosen.length): Verdict => ({
    ...{ mutant, status, by, tests, covering: candidates.length },
    seconds: (performance.now() - started) / 1000,
  });
  if (candidates.length === 0) return verdict('uncovered');
  fs.writeFileSync(file, mutate(source, mutant));
  try {
    for (const [i, { file: test, seconds }] of chosen.entries()) {
      const { outcome, failed } = await runTest(place, test, TIMES_DRY * seconds * 1000 + LOADED_MS);
      if (outcome === 'passed') continue;
      suite.found.set(pair(mutant, test), (suite.found.get(pair(mutant, test)) ?? 0) + 1);
      return verdict(outcome === 'failed' ? 'killed' : 'timeout', `${test}: ${failed}`, i + 1);
    }
    return verdict('survived');
  } finally {
    fs.writeFileSync(file, source);
  }
}

function pair(mutant: Mutant, test: string): string {
  return `${mutant.file} ${test}`;
}

/** Tests that execute the place: first those that found most in its file, then those of the room, the quickest first; properties last. */
export function candidatesOf(mutant: Mutant, { covered, found }: Suite): Covered[] {
  const own = ROOMS.find(({ name }) => name === mutant.room)?.tests ?? [];
  const rank = ({ file }: Covered) => {
    const at = own.findIndex((name) => file.startsWith(`test/${name}`));
    return at >= 0 ? at : own.length + (file.startsWith(LAST) ? 1 : 0);
  };
  const finds = ({ file }: Covered) => found.get(pair(mutant, file)) ?? 0;
  return covered
    .filter(({ ids }) => ids.has(mutant.id))
    .sort((a, b) => finds(b) - finds(a) || rank(a) - rank(b) || a.seconds - b.seconds);
}

/** The first tests that fit in the budget together; the first of all in any case. */
function withinBudget(candidates: readonly Covered[], budget_s: number): Covered[] {
  let left_s = budget_s;
  return candidates.filter(({ seconds }, i) => {
    if (i > 0 && seconds > left_s) return false;
    left_s -= seconds;
    return true;
  });
}
