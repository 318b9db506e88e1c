import path from 'node:path';
import { describe, mock } from 'node:test';
import { LIMIT_MS, watch } from './watchdog.ts';

/** A process that is not over by then, after its last test, has something open. */
const GRACE_MS = Math.min(LIMIT_MS, 20_000);

/**
 * Runs test files one after another in this process, each as a suite with the name of its file: its hooks are those of the suite, and its tests
 * end before the next file is loaded. What a file has mocked for all of the process is restored then.
 * @param files relative to the working directory
 */
export async function runBatch(files: readonly string[]): Promise<void> {
  let running: string | undefined;
  process.once('exit', () => {
    if (running === undefined) return;
    console.error(`${running} ended the process before its tests were over`);
    process.exitCode = 1;
  });
  for (const file of files) {
    running = file;
    watch(file, LIMIT_MS + GRACE_MS);
    await describe(file, { timeout: LIMIT_MS }, async () => {
      await import(path.resolve(file));
    });
    mock.reset();
    mock.timers.reset();
  }
  running = undefined;
  watch(files.join(', '), GRACE_MS);
}
