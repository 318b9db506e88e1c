// Loaded into every test process. Time limits of node:test end tests and hooks, but neither they nor the runner end a process
// that is kept alive by what a failed test has left open (Node 26.10): one forgotten server would hold the run forever.

/** Of one file: what takes longer hangs. */
export const LIMIT_MS = Number(process.env.PIROGUE_TEST_FILE_LIMIT_MS ?? 1_800_000);

let watched: NodeJS.Timeout | undefined;

if (process.env.NODE_TEST_CONTEXT) watch(String(process.argv[1]), LIMIT_MS);

/** Ends this process unless it is over, or watches something else, within that time. */
export function watch(what: string, limit_ms: number): void {
  clearTimeout(watched);
  watched = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${what} was not over after ${limit_ms / 1000} s; still open: ${open}`);
    process.exit(1);
  }, limit_ms).unref();
}
