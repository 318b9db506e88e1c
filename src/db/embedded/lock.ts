import { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** A lock that is garbage-collected is a lock released, so the ones we hold are kept here. */
const held = new Set<DatabaseSync>();

/**
 * Takes the lock at `file`; null when a living process holds it.
 *
 * Pid files lie (pids are reused, most of all in containers) and a unix socket left by a dead process can be removed
 * by two heirs at once. An exclusive SQLite transaction is a file lock of the kernel: it ends with the process,
 * however that dies, and is the only one Node has on every platform.
 */
export function tryLock(file: string): FileLock | null {
  const lock = new DatabaseSync(file);
  try {
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw new Error(`cannot lock ${file}: ${(error as Error).message}`, { cause: error });
  }
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}
