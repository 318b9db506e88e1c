import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const SHOWN = 15;

/** Reporter of node:test that ends a run of many files, each a suite, with a table of those that took longest. */
export default async function* slowest(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { file: string; seconds: number }[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:complete' || data.nesting > 0 || data.details.type !== 'suite') continue;
    files.push({ file: data.name, seconds: data.details.duration_ms / 1000 });
  }
  if (files.length > SHOWN) yield table(files);
}

/** Returns the table of the slowest files, slowest first, with the time of all files together. */
export function table(files: readonly { file: string; seconds: number }[]): string {
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  const rows = files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SHOWN)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${path.relative(process.cwd(), file)}`);
  return ['', `Slowest of ${files.length} files (${sum.toFixed(0)} s together)`, ...rows, ''].join('\n');
}
