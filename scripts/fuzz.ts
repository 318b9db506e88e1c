import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run fuzz -- --calls 100000 --seed S`: the random requests of `npm test`, with more of them. */
const { values } = parseArgs({
  options: { calls: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
if (!/^[1-9]\d{0,7}$/.test(values.calls) || (values.seed !== undefined && !/^\d{1,9}$/.test(values.seed))) {
  console.error('fuzz: --calls and --seed take whole numbers');
  process.exit(2);
}

const child = spawn(process.execPath, [path.join(import.meta.dirname, 'test.ts'), 'test/fuzz'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    FUZZ_CALLS: values.calls,
    TEST_FILE_LIMIT_MS: String(300_000 + Number(values.calls) * 60),
    ...(values.seed ? { FUZZ_SEED: values.seed } : {}),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
