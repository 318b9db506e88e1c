import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { give, serverAccount } from './account.ts';
import { isMount } from './faults/disk-full.ts';

/** The database of a run, its log, and room for both to grow. */
const SIZE = '900m';

/** Gives each member a small file system of its own, which can be filled. It is visible in the mount namespace of this process only. */
export function giveFileSystems(folder: string, members: readonly string[]): void {
  for (const name of members) {
    const own = path.join(folder, name);
    fs.mkdirSync(own, { recursive: true });
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, `pirogue-${name}`, own], {
      stdio: 'ignore',
    });
    // Where it is not allowed, the fault that needs it is reported as not run.
    if (status === 0) give(serverAccount(), own);
    else fs.rmdirSync(own);
  }
}

export function removeFileSystems(folder: string): void {
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder)) {
    const own = path.join(folder, name);
    if (fs.statSync(own).isDirectory() && isMount(own)) spawnSync('umount', ['--lazy', own], { stdio: 'ignore' });
  }
}
