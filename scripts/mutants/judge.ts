import fs from 'node:fs';
import path from 'node:path';
import { runNode } from '../testing/process.ts';
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

const TYPES = 'tsconfig.mutants.json';
const LOADED_MS = 10_000;
const TIMES_DRY = 5;

/** Plants a mutant and runs the tests that execute its place until one fails, at most `budget_s` seconds by their dry run. */
export async function judge(place: Place, mutant: Mutant, covered: readonly Covered[], budget_s: number): Promise<Verdict> {
  const started = performance.now();
  const candidates = candidatesOf(mutant, covered);
  const chosen = withinBudget(candidates, budget_s);
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
      if (outcome !== 'passed') return verdict(outcome === 'failed' ? 'killed' : 'timeout', `${test}: ${failed}`, i + 1);
    }
    return verdict((await compiles(place.root)) ? 'survived' : 'invalid');
  } finally {
    fs.writeFileSync(file, source);
  }
}

/** Tests that execute the place: those of the room first, then the quickest; properties last. */
export function candidatesOf(mutant: Mutant, covered: readonly Covered[]): Covered[] {
  const own = ROOMS.find(({ name }) => name === mutant.room)?.tests ?? [];
  const rank = ({ file }: Covered) => {
    const at = own.findIndex((name) => file.startsWith(`test/${name}`));
    return at >= 0 ? at : own.length + (file.startsWith(LAST) ? 1 : 0);
  };
  return covered.filter(({ ids }) => ids.has(mutant.id)).sort((a, b) => rank(a) - rank(b) || a.seconds - b.seconds);
}

/** At least one test. */
function withinBudget(candidates: readonly Covered[], budget_s: number): Covered[] {
  let sum = 0;
  return candidates.filter(({ seconds }, i) => {
    sum += seconds;
    return i === 0 || sum <= budget_s;
  });
}

/** Whether the type check accepts the copy. What a mutant leaves unused is no error. */
async function compiles(root: string): Promise<boolean> {
  if (!fs.existsSync(path.join(root, 'tsconfig.json'))) return true;
  const options = { noUnusedLocals: false, noUnusedParameters: false };
  fs.writeFileSync(
    path.join(root, TYPES),
    JSON.stringify({ extends: './tsconfig.json', compilerOptions: options, include: ['src'] }),
  );
  const args = ['node_modules/typescript-7/bin/tsc', '--noEmit', '--pretty', 'false', '-p', TYPES];
  return (await runNode(args, { output: 'keep', cwd: root })).code === 0;
}
