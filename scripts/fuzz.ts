import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `Usage: npm run fuzz -- [options]

Sends random requests, made from the OpenAPI document, to every route and page of a throw-away service.

  --calls <n>   number of requests (default 100000)
  --seed <n>    the same seed makes the same decisions`;

const options = readOptions();

/** Returns the options, or null when they are invalid. */
function readOptions(): { calls: string; seed?: string; help: boolean } | null {
  try {
    const { values } = parseArgs({
      options: {
        calls: { type: 'string', default: '100000' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return /^[1-9]\d{0,7}$/.test(values.calls) && /^\d{1,9}$/.test(values.seed ?? '1') ? values : null;
  } catch {
    return null;
  }
}

if (options === null || options.help) {
  console.log(HELP);
  process.exit(options === null ? 2 : 0);
}

const child = spawn(process.execPath, [path.join(import.meta.dirname, 'test.ts'), 'test/fuzz'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    LONG_RUN: '1',
    FUZZ_CALLS: options.calls,
    // Ends a run that hangs, but not a slow one on a busy machine.
    TEST_FILE_LIMIT_MS: String(300_000 + Number(options.calls) * 300),
    ...(options.seed ? { FUZZ_SEED: options.seed } : {}),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
