import fs from 'node:fs';
import path from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';
import { type Ended, runNode } from './process.ts';

/** Tests of the previous release that `npm test` runs: creation, charges, deliveries, refunds, payouts, idempotency, lists. */
export const WIRE_TESTS = [
  'test/payments/create.test.ts',
  'test/payments/create.idempotency.test.ts',
  'test/payments/list.test.ts',
  'test/payments/retrieve.test.ts',
  'test/payments/cancel.test.ts',
  'test/charge/api.test.ts',
  'test/charge/idempotency.test.ts',
  'test/refunds/api.test.ts',
  'test/transfers/api.test.ts',
  'test/events/api.test.ts',
  'test/webhooks/deliveries.test.ts',
];

/** Folders and files of all tests that talk to the service, and of its flows. */
export const ALL_WIRE_TESTS = [
  ...['abuse', 'accounts', 'balance', 'beneficiaries', 'callbacks', 'charge', 'checkout', 'clock', 'customers', 'disputes'],
  ...['erasure', 'events', 'float', 'health', 'http', 'identity', 'invoices', 'ledger', 'links', 'mail', 'metrics', 'payments'],
  ...['rate-limits', 'receipts', 'reconciliation', 'reference', 'refunds', 'returns', 'search', 'settlement', 'tenants'],
  ...['transaction-limits', 'transfers', 'versions', 'webhooks', 'work'],
].map((room) => `test/${room}`);

export interface PreviousRun {
  /** URL of the server with the templates that this version migrated. */
  server: string;
  output: 'show' | 'keep';
  at_once: number;
  signal?: AbortSignal;
}

/**
 * Runs tests of an earlier release in its folder. Its helpers copy the templates of the given server. A file that fails runs a second
 * time with no other file beside it, because some tests depend on time and a released test cannot be changed.
 * @param tests paths of files or folders in that folder
 * @throws Error when a folder has no tests
 */
export async function runPreviousTests(folder: string, tests: readonly string[], run: PreviousRun): Promise<Ended> {
  const files = tests.flatMap((wanted) => filesUnder(folder, wanted));
  const first = await runFiles(folder, files, run);
  if (first.code === 0 || run.output === 'show') return first;
  const failed = files.filter((file) => first.output.includes(`test at ${file}:`));
  if (failed.length === 0) return first;
  const second = await runFiles(folder, failed, { ...run, at_once: 1 });
  return second.code === 0 ? { ...first, code: 0 } : second;
}

function runFiles(folder: string, files: readonly string[], run: PreviousRun): Promise<Ended> {
  const env: NodeJS.ProcessEnv = { ...COMPILE_CACHE, ...process.env, PIROGUE_TEST_SERVER: run.server };
  delete env.NODE_TEST_CONTEXT; // set in a test: node would report to it
  const args = ['--test', '--test-reporter=spec', `--test-concurrency=${run.at_once}`, '--test-timeout=300000', ...files];
  return runNode(args, { env, cwd: folder, output: run.output, ...(run.signal && { signal: run.signal }) });
}

function filesUnder(folder: string, wanted: string): string[] {
  if (wanted.endsWith('.ts')) return [wanted];
  const files = fs.globSync(`${wanted}/**/*.test.ts`, { cwd: folder });
  if (files.length === 0) throw new Error(`${path.join(folder, wanted)} has no tests`);
  return files.filter((file) => !file.endsWith('.browser.test.ts')).sort();
}
