import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../../kit/config-error.ts';

export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** Locks held by this process. A garbage-collected lock would be released. */
const held = new Set<DatabaseSync>();

/**
 * Takes the lock at `file`. Pid files are unreliable (pids are reused, especially in containers), and two processes can remove
 * a dead process's unix socket at once. An exclusive SQLite transaction is a kernel file lock: it ends with the process,
 * however the process ends, and is the only such lock in Node on every platform.
 * @returns null when a living process holds the lock
 * @throws ConfigError when the file cannot be locked for another reason
 */
export function tryLock(file: string): FileLock | null {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw new ConfigError(`cannot lock ${file}: ${(error as Error).message}`, { cause: error });
  }
  const taken = lock;
  held.add(taken);
  return {
    release() {
      if (held.delete(taken)) taken.close();
    },
  };
}
