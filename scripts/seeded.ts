import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { copyProject } from './testing/copy.ts';
import { runNode } from './testing/process.ts';

/**
 * `npm run seeded`: applies each planted defect of test/seeded to a copy of the project and runs the command that must catch it.
 * A defect that is not caught, or a patch that no longer applies, fails the run.
 */
const HELP = `Usage: npm run seeded -- [options]

Plants the defects of test/seeded one by one in a copy of the project; each must be caught by the tests it names.

  --only <word>    defects with the word in their file name
  --json           results as JSON`;

const ROOT = path.join(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'test', 'seeded');
const LIMIT_MS = 120_000;

/** A planted defect: a patch with a heading. */
export interface Defect {
  file: string;
  /** What is wrong with the program once the patch is applied. */
  defect: string;
  /** Tests that must turn red. */
  tests: string[];
}

export type Verdict = 'caught' | 'missed' | 'stale' | 'too slow';

export interface Result {
  defect: Defect;
  verdict: Verdict;
  seconds: number;
}

/**
 * Reads the heading of a patch: `Defect: …` and `Caught by: npm test -- <tests>`.
 * @throws when a line is missing
 */
export function readDefect(file: string, text: string): Defect {
  const defect = /^Defect: (.+)$/m.exec(text)?.[1];
  const tests = /^Caught by: npm test -- (.+)$/m.exec(text)?.[1];
  if (!defect || !tests) throw new Error(`${file}: needs the lines "Defect: …" and "Caught by: npm test -- …"`);
  return { file, defect, tests: tests.trim().split(/\s+/) };
}

/** Reads all defects whose file name contains the word. */
export function readDefects(only = '', folder = FOLDER): Defect[] {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.patch') && name.includes(only));
  return names.sort().map((name) => readDefect(path.join(folder, name), fs.readFileSync(path.join(folder, name), 'utf8')));
}

function applies(copy: string, file: string, ...options: string[]): boolean {
  try {
    execFileSync('git', ['apply', ...options, file], { cwd: copy, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Plants one defect, runs its tests, and takes it out again. */
export async function seed(defect: Defect, copy: string): Promise<Result> {
  const started = performance.now();
  const verdict = applies(copy, defect.file) ? await verdictOf(defect, copy) : 'stale';
  if (verdict !== 'stale') applies(copy, defect.file, '--reverse');
  return { defect, verdict, seconds: (performance.now() - started) / 1000 };
}

async function verdictOf({ tests }: Defect, copy: string): Promise<Verdict> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const { code, output } = await runNode([path.join(copy, 'scripts', 'test.ts'), ...tests], {
    output: 'keep',
    signal,
    cwd: copy,
  });
  if (signal.aborted) return 'too slow';
  // A run that fails before its tests have begun has caught nothing.
  return code !== 0 && output.includes('failing tests') ? 'caught' : 'missed';
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const defects = readDefects(values.only);
  if (defects.length === 0) {
    console.error(`seeded: no defect in test/seeded has "${values.only}" in its name`);
    return 2;
  }
  const copy = copyProject(ROOT, 'pirogue-seeded-');
  const results: Result[] = [];
  try {
    for (const [i, defect] of defects.entries()) {
      const result = await seed(defect, copy);
      results.push(result);
      const line = `${result.verdict.toUpperCase().padEnd(8)} ${result.seconds.toFixed(1).padStart(6)} s  ${path.basename(defect.file)}: ${defect.defect}`;
      if (!values.json) console.log(`${String(i + 1).padStart(3)}/${defects.length}  ${line}`);
    }
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
  const caught = results.filter(({ verdict }) => verdict === 'caught').length;
  if (values.json) console.log(JSON.stringify(results, null, 2));
  else console.log(`\n${caught} of ${results.length} planted defects were caught`);
  return caught === results.length ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
