import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from './mutant.ts';
import { type Place, runTest, type TestRun } from './run-test.ts';

/** Coverage of one test file. */
export interface Covered extends TestRun {
  file: string;
  /** Ids of the mutants whose place it executes. */
  ids: ReadonlySet<string>;
}

interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}

interface Report {
  result: { url: string; functions: { ranges: Range[] }[] }[];
}

/** Runs a test file on unchanged sources, with V8's block coverage. Stripped types leave spaces, so positions are those of the source. */
export async function cover(place: Place, file: string, mutants: readonly Mutant[], limit_ms: number): Promise<Covered> {
  const folder = fs.mkdtempSync(path.join(place.root, 'coverage-'));
  try {
    // Functions from the compile cache have no block coverage.
    const env = { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
    const run = await runTest(place, file, limit_ms, env);
    const ids = new Set<string>();
    const byFile = Map.groupBy(mutants, (mutant) => mutant.file);
    for (const name of fs.readdirSync(folder)) {
      const report = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as Report;
      for (const id of coveredBy(report, place.root, byFile)) ids.add(id);
    }
    return { ...run, file, ids };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function coveredBy({ result }: Report, root: string, mutants: ReadonlyMap<string, Mutant[]>): string[] {
  return result.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:')) return [];
    const own = mutants.get(path.relative(root, fileURLToPath(url)));
    if (!own) return [];
    const ranges = functions.flatMap((one) => one.ranges);
    return own.filter(({ start }) => isExecuted(ranges, start)).map(({ id }) => id);
  });
}

/** Returns whether the smallest range around a position was executed. */
export function isExecuted(ranges: readonly Range[], at: number): boolean {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  const size = (range: Range) => range.endOffset - range.startOffset;
  const smallest = around.reduce<Range | null>((best, one) => (best === null || size(one) <= size(best) ? one : best), null);
  return smallest !== null && smallest.count > 0;
}
