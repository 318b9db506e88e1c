import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** `npm run faults -- --payments 2000 --seed S`: the whole-system run of `npm test` with more payments. */
const { values } = parseArgs({
  options: { payments: { type: 'string', default: '2000' }, seed: { type: 'string' } },
});
if (!/^[1-9]\d{0,6}$/.test(values.payments) || (values.seed !== undefined && !/^\d{1,9}$/.test(values.seed))) {
  console.error('faults: --payments and --seed take whole numbers');
  process.exit(2);
}

const child = spawn(process.execPath, [path.join(import.meta.dirname, 'test.ts'), '--only', 'system'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    LONG_RUN: '1',
    FAULT_PAYMENTS: values.payments,
    // A payment takes about 100 ms on two cores. Operations that stay open at providers are awaited at the end.
    TEST_FILE_LIMIT_MS: String(1_800_000 + Number(values.payments) * 500),
    ...(values.seed ? { FAULT_SEED: values.seed } : {}),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
