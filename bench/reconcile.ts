// node scripts/run.mjs bench/reconcile.ts [--lines 1000000]: compares a statement of so many lines with as many attempts, on a
// durable PostgreSQL of its own, once with the breaks in it and once more to prove that nothing is left to do.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/platform/config/config.ts';
import { ensureDatabase, startEmbedded } from '../src/platform/db/embedded.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { openPool } from '../src/platform/db/pool.ts';
import { systemClock } from '../src/kit/clock.ts';
import { createLog } from '../src/kit/log.ts';
import { paymentListeners } from '../src/program/listeners.ts';
import { writeReport } from '../src/core/reconciliation/report.ts';
import { type Progress, reconcile, countBreaks } from '../src/core/reconciliation/service.ts';
import type { Run } from '../src/core/reconciliation/schema.ts';
import { readCpu, treeCpu } from './cpu.ts';
import { fillStatement } from './reconcile-fill.ts';

const TEAM = 1n;

const { values } = parseArgs({ options: { lines: { type: 'string', default: '1000000' } } });
const lines = Number(values.lines);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-bench-'));
fs.chmodSync(folder, 0o711);
const server = await startEmbedded({ dataDir: path.join(folder, 'data') });
try {
  await ensureDatabase(server, 'live');
  const url = server.url('live');
  await migrate(url, 'store');
  const file = path.join(folder, 'statement.csv');
  await fillStatement(url, TEAM, file, lines);
  console.log(
    `${lines.toLocaleString('en')} lines, ${Math.round(fs.statSync(file).size / 1e6)} MB; ${os.availableParallelism()} cores, load ${os.loadavg()[0]?.toFixed(1)}`,
  );
  for (const round of ['first', 'again']) await measured(round, () => compare(url, file));
} finally {
  await server.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}

async function compare(url: string, file: string): Promise<void> {
  const db = openPool({ url, size: 1, statement_ms: 600_000, log: createLog({ level: 'silent', format: 'json' }) });
  const store = { environment: 'live', db } as const;
  const began = performance.now();
  const steps: Record<string, number> = {};
  const wish = {
    ...{ team_id: TEAM, provider: 'mtn-momo', account: { id: 'pa_1', name: 'wallet' }, file_name: 'statement.csv' },
    ...{ from: null, to: null, skew_ms: 0, apply: true, force: false },
    open: () => fs.createReadStream(file, { highWaterMark: 1 << 18 }),
    progress: ({ step }: Progress) => {
      steps[step] = Math.round(performance.now() - began);
    },
  };
  const deps = { clock: systemClock, config: readConfig({}), listeners: paymentListeners(null) };
  const run: Run = await reconcile(deps, store, wish, { kind: 'operator', id: 'bench', request_id: null, address: null });
  await writeReport(store, run, folder);
  const found = (await countBreaks(store, run)).map(({ kind, state, count }) => `${count} ${kind} ${state}`);
  console.log(`  ${JSON.stringify(steps)} ms; found ${found.join(', ')}`);
  await db.close();
}

async function measured(name: string, work: () => Promise<void>): Promise<void> {
  const [before, wall] = [readCpu(), performance.now()];
  await work();
  const seconds = (performance.now() - wall) / 1_000;
  const after = readCpu();
  const cpu = (pid: number) => (before && after ? (treeCpu(after, pid) - treeCpu(before, pid)).toFixed(1) : '?');
  const busy = before && after ? after.busy_s - before.busy_s : Number.NaN;
  const rate = Math.round(lines / seconds).toLocaleString('en');
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${rate} lines/s; CPU of this process ${cpu(process.pid)} s, of PostgreSQL ${cpu(server.pid)} s, of the machine ${busy.toFixed(1)} s; ${memory} MB`,
  );
}
