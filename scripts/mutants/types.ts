import fs from 'node:fs';
import path from 'node:path';
import { runNode } from '../testing/process.ts';
import type { Verdict } from './judge.ts';
import { type Mutant, mutate } from './mutant.ts';
import { isSurvivor } from './report.ts';

const CONFIG = 'tsconfig.mutants.json';

/**
 * Marks the survivors that the type check rejects. One check takes seconds, so mutants of different files are checked together. An
 * error in a file without a mutant is attributed by checking them one by one.
 * @param root a copy of the project
 */
export async function markInvalid(root: string, verdicts: readonly Verdict[]): Promise<Verdict[]> {
  const invalid = new Set<Mutant>();
  for (const round of rounds(verdicts.filter(isSurvivor).map(({ mutant }) => mutant))) {
    const wrong = await rejectedFiles(root, round);
    const own = round.filter(({ file }) => wrong.has(file));
    for (const mutant of own) invalid.add(mutant);
    if ([...wrong].every((file) => own.some((mutant) => mutant.file === file))) continue;
    for (const mutant of round.filter((one) => !invalid.has(one))) {
      if ((await rejectedFiles(root, [mutant])).size > 0) invalid.add(mutant);
    }
  }
  return verdicts.map((verdict) => (invalid.has(verdict.mutant) ? { ...verdict, status: 'invalid' } : verdict));
}

/** Groups mutants so that no group has two of one file. */
function rounds(mutants: readonly Mutant[]): Mutant[][] {
  const found: Mutant[][] = [];
  for (const ofFile of Map.groupBy(mutants, ({ file }) => file).values()) {
    for (const [i, mutant] of ofFile.entries()) {
      found[i] = [...(found[i] ?? []), mutant];
    }
  }
  return found;
}

/** Returns the files in which the type check finds errors with these mutants. Unused names do not count as errors. */
async function rejectedFiles(root: string, mutants: readonly Mutant[]): Promise<Set<string>> {
  const options = { noUnusedLocals: false, noUnusedParameters: false };
  fs.writeFileSync(
    path.join(root, CONFIG),
    JSON.stringify({ extends: './tsconfig.json', compilerOptions: options, include: ['src'] }),
  );
  const sources = mutants.map(({ file }) => fs.readFileSync(path.join(root, file), 'utf8'));
  for (const [i, mutant] of mutants.entries()) {
    fs.writeFileSync(path.join(root, mutant.file), mutate(sources[i] as string, mutant));
  }
  try {
    const args = ['node_modules/typescript-7/bin/tsc', '--noEmit', '--pretty', 'false', '-p', CONFIG];
    const { output } = await runNode(args, { output: 'keep', cwd: root });
    return new Set([...output.matchAll(/^([^\s(][^(\n]*)\(\d+,\d+\): error/gm)].map((match) => match[1] as string));
  } finally {
    for (const [i, { file }] of mutants.entries()) fs.writeFileSync(path.join(root, file), sources[i] as string);
  }
}
