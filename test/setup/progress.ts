import type { TestContext } from 'node:test';

/**
 * Reports how far a test of many steps is: as a diagnostic, which node:test shows when the test has ended, and in a long run
 * (`LONG_RUN=1`, set by the commands of package.json) at once on the standard error.
 */
export function report(t: TestContext, line: string): void {
  if (process.env.LONG_RUN) console.error(line);
  else t.diagnostic(line);
}
