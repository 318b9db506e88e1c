// Loaded into every test process. Time limits of node:test end tests and hooks, but neither they nor the runner end a process
// that a failed test keeps alive with something it left open, such as a server (Node 26.10). The run would then never end.

/** Time limit of one file, in milliseconds. A file that takes longer is taken to hang. */
export const LIMIT_MS = Number(process.env.PIROGUE_TEST_FILE_LIMIT_MS ?? 1_800_000);

let watched: NodeJS.Timeout | undefined;

if (process.env.NODE_TEST_CONTEXT) watch(String(process.argv[1]), LIMIT_MS);

/** Ends this process with an error if it has neither ended nor called `watch` again within a time limit. */
export function watch(what: string, limit_ms: number): void {
  clearTimeout(watched);
  watched = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${what} was not over after ${limit_ms / 1000} s; still open: ${open}`);
    process.exit(1);
  }, limit_ms).unref();
}
