import fs from 'node:fs';
import path from 'node:path';
import { BACK_MS, type Fault, OUTAGE } from './fault.ts';

const FULL_S = 12;
const BLOCK = 4 << 20;

export const diskFull: Fault = {
  name: 'disk-full',
  title: 'the disk of the primary is full',
  impossible: ({ state }) =>
    state.members.every(({ name }) => isMount(path.join(state.folder, name)))
      ? null
      : 'the members have no file system of their own',
  async run(stage) {
    const { name } = await stage.primary();
    const ballast = path.join(stage.state.folder, name, 'ballast');
    const from = Date.now();
    fill(ballast);
    // What is freed by a checkpoint is filled too.
    for (let second = 0; second < FULL_S; second++) {
      await stage.wait(1);
      fill(ballast);
    }
    fs.rmSync(ballast);
    // A PostgreSQL that cannot write its log stops; then a standby may have taken over.
    const moved = stage.monitor.changes.findLast(({ at, primary }) => at > from && primary !== null);
    const to = Math.max(Date.now(), moved?.at ?? 0) + 2 * BACK_MS;
    await stage.wait(5);
    return { windows: [{ from, to, kinds: OUTAGE }], primary_at: null, found: [] };
  },
};

/** Writes until nothing more fits: in large blocks first, then in small ones. */
function fill(file: string): void {
  const handle = fs.openSync(file, 'a');
  try {
    for (let size = BLOCK; size >= 512; size >>= 1) {
      const block = Buffer.alloc(size);
      while (canWrite(handle, block));
    }
  } finally {
    fs.closeSync(handle);
  }
}

function canWrite(handle: number, block: Buffer): boolean {
  try {
    return fs.writeSync(handle, block) === block.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

export function isMount(folder: string): boolean {
  const own = fs.statSync(folder, { throwIfNoEntry: false });
  return own !== undefined && own.dev !== fs.statSync(path.dirname(folder)).dev;
}
