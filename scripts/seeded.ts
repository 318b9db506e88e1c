import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { copyProject } from './testing/copy.ts';
import { endOf } from './testing/end.ts';
import { runNode } from './testing/process.ts';

/**
 * `npm run seeded`: applies each planted defect of test/seeded to a copy of the project and runs the command that must catch it.
 * Any result other than a caught defect fails the run.
 */
const HELP = `Usage: npm run seeded -- [options]

Plants the defects of test/seeded one by one in a copy of the project; each must be caught by the tests it names. Those must be
green without the defect, and the program must compile with it: otherwise they have not caught the defect.

  --only <word>    defects with the word in their file name
  --json           results as JSON`;

const ROOT = path.join(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'test', 'seeded');
const LIMIT_MS = 120_000;

/** A planted defect: a patch with a heading. */
export interface Defect {
  file: string;
  /** Description of the fault that the patch adds. */
  defect: string;
  /** Tests that must fail. */
  tests: string[];
}

/**
 * `stale`: the patch does not apply. `broken`: the types are wrong with the defect, so any test may be red. `red anyway`: the tests
 * are red without the defect too.
 */
export type Verdict = 'caught' | 'missed' | 'stale' | 'too slow' | 'broken' | 'red anyway';

export interface Result {
  defect: Defect;
  verdict: Verdict;
  /** Title of the first failed test, or its file when it failed as a whole; '' when none failed. */
  by: string;
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

/** A copy of the project, in which defects are planted one by one. */
export class Bed {
  readonly #copy: string;
  readonly #end: AbortSignal;
  /** Whether the tests of a command pass without a defect. */
  readonly #green = new Map<string, boolean>();

  constructor(copy: string, end: AbortSignal) {
    this.#copy = copy;
    this.#end = end;
  }

  /**
   * Applies one defect, runs its tests, and reverts it.
   * @throws when the copy is not restored exactly, because the next defects would be judged wrongly
   */
  async seed(defect: Defect): Promise<Result> {
    const started = performance.now();
    const { verdict, by } = await this.#judge(defect);
    return { defect, verdict, by, seconds: (performance.now() - started) / 1000 };
  }

  async #judge({ file, tests }: Defect): Promise<Pick<Result, 'verdict' | 'by'>> {
    if (!this.#apply(file)) return { verdict: 'stale', by: '' };
    const { ended, by } = await this.#test(tests);
    const compiles = ended !== 'red' || (await this.#compiles());
    if (!this.#apply(file, '--reverse')) throw new Error(`${file} cannot be taken out again: the tests have changed its files`);
    if (ended !== 'red') return { verdict: ended === 'too slow' ? 'too slow' : 'missed', by };
    if (!compiles) return { verdict: 'broken', by };
    return { verdict: (await this.#isGreen(tests)) ? 'caught' : 'red anyway', by };
  }

  #apply(file: string, ...options: string[]): boolean {
    try {
      // Run as if outside of a repository: inside one, git skips files that are not below its root, and reports success.
      const env = { ...process.env, GIT_DIR: path.join(this.#copy, 'none') };
      execFileSync('git', ['apply', ...options, file], { cwd: this.#copy, stdio: 'ignore', env });
      return true;
    } catch {
      return false;
    }
  }

  async #isGreen(tests: string[]): Promise<boolean> {
    const command = tests.join(' ');
    const green = this.#green.get(command) ?? (await this.#test(tests)).ended === 'green';
    this.#green.set(command, green);
    return green;
  }

  /** Runs tests. A run that fails before its tests begin, for example because a file does not exist, does not count as caught. */
  async #test(tests: string[]): Promise<{ ended: 'green' | 'red' | 'not run' | 'too slow'; by: string }> {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const signal = AbortSignal.any([limit, this.#end]);
    const { code, output } = await runNode([path.join(this.#copy, 'scripts', 'test.ts'), ...tests], {
      output: 'keep',
      signal,
      cwd: this.#copy,
    });
    if (signal.aborted) return { ended: 'too slow', by: '' };
    const [, after] = output.split('failing tests');
    if (code === 0 || after === undefined) return { ended: code === 0 ? 'green' : 'not run', by: '' };
    return { ended: 'red', by: /^✖ (.+?)(?: \([\d.]+ms\))?$/m.exec(after)?.[1] ?? '' };
  }

  async #compiles(): Promise<boolean> {
    const info = path.join(this.#copy, 'types.tsbuildinfo');
    const tsc = path.join(this.#copy, 'node_modules', 'typescript-7', 'bin', 'tsc');
    const args = [tsc, '--noEmit', '--incremental', '--tsBuildInfoFile', info];
    return (await runNode(args, { output: 'keep', cwd: this.#copy, signal: this.#end })).code === 0;
  }
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
  const end = endOf(process);
  const copy = copyProject(ROOT, 'pirogue-seeded-');
  const bed = new Bed(copy, end);
  const results: Result[] = [];
  try {
    for (const [i, defect] of defects.entries()) {
      const result = await bed.seed(defect);
      if (end.aborted) return 130;
      results.push(result);
      const line = `${result.verdict.toUpperCase().padEnd(10)} ${result.seconds.toFixed(1).padStart(6)} s  ${path.basename(defect.file)}: ${defect.defect}`;
      if (!values.json)
        console.log(
          `${String(i + 1).padStart(3)}/${defects.length}  ${line}${result.by && `\n${' '.repeat(21)}by: ${result.by}`}`,
        );
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
