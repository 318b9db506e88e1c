import { runNode } from './process.ts';

/** The checks. With `show`, the output is printed even when the check passes. */
const CHECKS: readonly { name: string; args: string[]; show?: true }[] = [
  { name: 'types', args: ['node_modules/typescript-7/bin/tsc', '--noEmit', '--pretty', 'false'] },
  { name: 'layers', args: ['scripts/run.mjs', 'scripts/layers.ts'] },
  { name: 'migrations', args: ['scripts/run.mjs', 'scripts/migrations.ts'], show: true },
  { name: 'words', args: ['scripts/run.mjs', 'scripts/words.ts'] },
  { name: 'style', args: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off'] },
];

/**
 * Runs the type check, the checks of layers, migrations and words, and the linter at the same time. Each prints one PASS or FAIL
 * line, after its output if it failed.
 * @param signal ends the checks early
 * @returns whether all passed
 */
export async function runChecks(signal?: AbortSignal): Promise<boolean> {
  const passed = await Promise.all(CHECKS.map((check) => runCheck(check, signal)));
  return passed.every(Boolean);
}

async function runCheck(check: (typeof CHECKS)[number], signal?: AbortSignal): Promise<boolean> {
  const started = performance.now();
  const { code, output } = await runNode(check.args, { output: 'keep', ...(signal && { signal }) });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (output.trim() !== '' && (code !== 0 || check.show)) console.log(output.trimEnd());
  console.log(`${code === 0 ? 'PASS' : 'FAIL'}  ${check.name} (${seconds} s)`);
  return code === 0;
}
