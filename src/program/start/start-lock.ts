import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../kit/config-error.ts';
import { type FileLock, tryLock } from '../../platform/db/embedded/lock.ts';
import { waitFor } from '../../platform/db/embedded/wait.ts';

const LIMIT_MS = 60_000;

/**
 * Takes the exclusive turn to open the database of a DATA_DIR: a command for its whole run, the service until its own server
 * runs. Otherwise the second process could join the server of a first that is about to stop it.
 * @throws ConfigError when another process has held the turn for a minute
 */
export async function takeStartLock(dataDir: string): Promise<FileLock> {
  const startLock = await lockOf(dataDir);
  if (!startLock)
    throw new ConfigError(`another command has been using ${dataDir} for a minute: wait for it or end it, then try again`);
  return startLock;
}

async function lockOf(dataDir: string): Promise<FileLock | null> {
  fs.mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'command.lock');
  const lock = await waitFor(() => tryLock(file), LIMIT_MS);
  if (lock) giveToOwner(file, dataDir);
  return lock;
}

/** A lock created by a command run as root must remain accessible to the service's account. */
function giveToOwner(file: string, dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = fs.statSync(dataDir);
  fs.chownSync(file, uid, gid);
}
