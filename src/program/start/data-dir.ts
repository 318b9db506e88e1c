import fs from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError, type Role } from '../../platform/config/config.ts';
import { type FileLock, tryLock } from '../../platform/db/embedded/lock.ts';
import { waitFor } from '../../platform/db/embedded/wait.ts';
import { writeAtomically } from './secrets-key.ts';

/** How long a start waits for a process that is shutting down. Longer than its default deadline, 15 s. */
const LEAVING_LIMIT_MS = 60_000;

/** Note that the first process writes beside its lock, for later processes that find the folder in use. */
interface Note {
  pid: number;
  role: Role;
  port: number;
  /** Whether it is shutting down. */
  leaving: boolean;
}

/** The use of a DATA_DIR by a process that serves HTTP. */
export interface DataDirUse {
  /** Whether no other running process serves from the folder. keys.json then shows the address of this process. */
  first: boolean;
  /** Announces that the process is shutting down. A start that finds the folder in use then waits for its end. */
  leave(): void;
  /** Called when the database has stopped. */
  release(): void;
}

const SHARED: DataDirUse = { first: false, leave: () => {}, release: () => {} };

/**
 * Takes the use of a DATA_DIR. The embedded database stops with its owner, so that a second process of role `all` is rejected;
 * roles `api` and `worker` join. On external databases, whose processes may share a folder, it only decides who writes keys.json.
 * @throws ConfigError that names the process that uses the folder
 */
export async function useDataDir(config: Config, role: Role): Promise<DataDirUse> {
  const serves = role === 'all' || role === 'api';
  const written = config.database_urls === null || config.profile === 'development';
  if (!serves || !written) return SHARED;
  const lockFile = path.join(config.data_dir, 'service.lock');
  const noteFile = path.join(config.data_dir, 'service.json');
  const alone = role === 'all' && config.database_urls === null;
  const found = await waitFor(
    () => tryLock(lockFile) ?? (alone && (readNote(noteFile)?.leaving ?? true) ? null : 'in use'),
    LEAVING_LIMIT_MS,
  );
  if (found && found !== 'in use')
    return firstUse(found, noteFile, { pid: process.pid, role, port: config.port, leaving: false });
  if (alone) throw inUse(config, readNote(noteFile));
  return SHARED;
}

function firstUse(lock: FileLock, noteFile: string, note: Note): DataDirUse {
  const write = (leaving: boolean) => writeAtomically(noteFile, JSON.stringify({ ...note, leaving }), true);
  write(false);
  return {
    first: true,
    leave: () => {
      try {
        write(true);
      } catch {
        // A full disk must not prevent a process from stopping. A start meanwhile is then rejected instead of waiting.
      }
    },
    // The note is kept. Without it, a start between its removal and the release of the lock would be rejected.
    release: () => lock.release(),
  };
}

/** Returns the note; undefined when its process has not written it yet. */
function readNote(file: string): Note | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Note;
  } catch {
    return undefined;
  }
}

function inUse({ data_dir }: Config, note: Note | undefined): ConfigError {
  const who = note ? `process ${note.pid} (role ${note.role}, port ${note.port})` : 'another process';
  return new ConfigError(
    `DATA_DIR ${data_dir} is in use by ${who}: stop it, or set another DATA_DIR for this one. ` +
      'On the same data only the roles api and worker can be added',
  );
}
