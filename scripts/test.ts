// npm test: one throwaway PostgreSQL, the checks, then the test files, several in each process.
import os from 'node:os';
import { inBatches, MAX_FILES, writeBatches } from './testing/batches.ts';
import { runChecks } from './testing/checks.ts';
import { makeTemplates, type TestServer, testServer } from './testing/cluster.ts';
import { COMPILE_CACHE } from './testing/compile-cache.ts';
import { endOf } from './testing/end.ts';
import { runNode } from './testing/process.ts';
import { type Selection, selectTests } from './testing/select.ts';

/** Time limit of a file. The longest took nine minutes on a slow machine. Long proofs set a higher limit. */
const FILE_LIMIT_MS = Number(process.env.TEST_FILE_LIMIT_MS ?? 1_800_000);
/** Time limit of a batch. Each of its files also has its own limit. */
const BATCH_LIMIT_MS = FILE_LIMIT_MS * MAX_FILES;
/** Number of concurrent files: two more than cores, because files spend a third of their time waiting for deadlines and other processes. */
const FILES_AT_ONCE = os.availableParallelism() + 2;
const SLOWEST = new URL('./testing/slowest.ts', import.meta.url).href;
const WATCHDOG = new URL('./testing/watchdog.ts', import.meta.url).href;
const WROTE_GOLDEN =
  '\nNOTE  UPDATE_GOLDEN=1: golden files were written, not compared. Read what git shows as changed, and run the tests again without it.';

process.exitCode = await main();

async function main(): Promise<number> {
  const selection = selectTests(process.argv.slice(2));
  const end = endOf(process);
  const checks = selection.all ? runChecks(end) : skipChecks();
  await using server = await testServer();
  await makeTemplates(server);
  const checked = await checks;
  const tested = !end.aborted && (await runTests(selection, server, end));
  if (!checked) console.log('\nFAIL  see the checks above the tests');
  if (process.env.UPDATE_GOLDEN === '1') console.log(WROTE_GOLDEN);
  return checked && tested && !end.aborted ? 0 : 1;
}

async function skipChecks(): Promise<boolean> {
  console.log('SKIP  types, layers, migrations, words, style: only some tests were requested (npm run check runs them)');
  return true;
}

async function runTests({ files, nodeArgs }: Selection, server: TestServer, end: AbortSignal): Promise<boolean> {
  const env: NodeJS.ProcessEnv = {
    PIROGUE_TEST_FILE_LIMIT_MS: String(FILE_LIMIT_MS),
    ...COMPILE_CACHE,
    ...process.env,
    ...(server.temporary !== undefined && { TMPDIR: server.temporary }),
    PIROGUE_TEST_SERVER: server.url('postgres'),
  };
  delete env.TEST_POSTGRES_URL; // a test may run this script too, with its own server
  delete env.NODE_TEST_CONTEXT; // set when a test runs this script: node would then report to that test
  const args = [
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${SLOWEST}`,
    '--test-reporter-destination=stdout',
    `--test-timeout=${BATCH_LIMIT_MS}`,
    `--import=${WATCHDOG}`,
    `--test-concurrency=${FILES_AT_ONCE}`,
    ...nodeArgs,
    // Not in batches when options are given: in a batch each file is a suite, and a pattern such as "^422" would not match its tests.
    ...(nodeArgs.length > 0 ? files : writeBatches(inBatches(files, FILES_AT_ONCE))),
  ];
  const { code } = await runNode(args, { env, output: 'show', signal: end });
  return code === 0;
}
