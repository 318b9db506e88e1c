// Loaded into every test process. `--test-timeout` ends tests and hooks, but neither it nor the runner ends a process
// that is kept alive by what a failed test has left open (Node 26.10): one forgotten server would hold the run forever.
const LIMIT_MS = Number(process.env.PIROGUE_TEST_FILE_LIMIT_MS);

if (process.env.NODE_TEST_CONTEXT) {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1]} was not over after ${LIMIT_MS / 1000} s; still open: ${open}`);
    process.exit(1);
  }, LIMIT_MS).unref();
}
