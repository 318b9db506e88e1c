// npm run upgrade: tests of the previous release, run by its own code on databases that this version migrated.
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeTemplates, testServer } from './testing/cluster.ts';
import { endOf } from './testing/end.ts';
import { previousCommit, previousRelease } from './testing/previous.ts';
import { ALL_WIRE_TESTS, runPreviousTests, WIRE_TESTS } from './testing/previous-tests.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean', default: false } } });
const end = endOf(process);
await using server = await testServer();
await makeTemplates(server);
await using release = await previousRelease();
console.log(`tests of ${previousCommit()} on the schema of ${path.basename(process.cwd())}`);
const tests = positionals.length > 0 ? positionals : values.all ? ALL_WIRE_TESTS : WIRE_TESTS;
const { code } = await runPreviousTests(release.folder, tests, {
  server: server.url('postgres'),
  output: 'show',
  at_once: os.availableParallelism() + 1,
  signal: end,
});
process.exitCode = code;
