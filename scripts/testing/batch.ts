import path from 'node:path';
import { describe, mock } from 'node:test';
import { LIMIT_MS, watch } from './watchdog.ts';

/** How long a process may run after its last test, in milliseconds. After that, a test has left something open. */
const GRACE_MS = Math.min(LIMIT_MS, 20_000);

/**
 * Runs test files one after another in this process, each as a suite with the name of its file. The hooks of a file belong to its
 * suite, and its tests end before the next file is loaded. Mocks that a file has set for the whole process are then restored.
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
