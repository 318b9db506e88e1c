import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run properties -- --runs 100000 [--seed N]`: the property tests with more sequences than `npm test` runs. */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
if (!/^\d{1,9}$/.test(values.runs) || (values.seed !== undefined && !/^\d{1,10}$/.test(values.seed))) {
  console.error('properties: --runs and --seed take whole numbers');
  process.exit(2);
}

const child = spawn(process.execPath, [path.join(import.meta.dirname, 'test.ts'), '--only', 'properties'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PROPERTY_RUNS: values.runs,
    // A sequence takes about 30 ms on two cores.
    TEST_FILE_LIMIT_MS: String(300_000 + Number(values.runs) * 200),
    ...(values.seed ? { PROPERTY_SEED: values.seed } : {}),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
