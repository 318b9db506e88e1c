import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Stage } from './stage.ts';

const SYNCS = 50;

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  system: string;
  node: string;
  postgres: string;
  /** What a commit has to wait for at the least: median of writing 8 kB and having it on the disk. */
  sync_us: number;
}

export async function describeMachine(stage: Stage): Promise<Machine> {
  const {
    rows: [row],
  } = await stage.sandbox.query('show server_version');
  const [cpu] = os.cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memory_gb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    postgres: row.server_version,
    sync_us: syncTime(stage.folder),
  };
}

function syncTime(folder: string): number {
  const file = fs.openSync(path.join(folder, 'sync-probe'), 'w');
  const block = Buffer.alloc(8192, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const since = performance.now();
    fs.writeSync(file, block, 0, block.length, 0);
    fs.fdatasyncSync(file);
    return (performance.now() - since) * 1000;
  }).sort((a, b) => a - b);
  fs.closeSync(file);
  return Math.round(times[SYNCS / 2] as number);
}
