import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../../kit/config-error.ts';
import { type Account, canEnter, serverAccount } from './account.ts';

/** The folder name contains the major version, because a cluster of another version cannot be opened. */
const CLUSTER = 'pg18';
const UNFINISHED_RESTORE = 'restore.unfinished';

/** Outside /tmp and /var/tmp, which systems clean. */
export const SHARED_HOME = '/var/lib/pirogue';

export interface Place {
  /** Path of the cluster within `dataDir`; a link when the cluster is stored elsewhere. */
  entry: string;
  /** Real path of the cluster. */
  cluster: string;
  /** Parent folder of the cluster; contains the lock and the log. */
  home: string;
  account: Account | null;
}

/**
 * Determines where the cluster of a DATA_DIR is stored. Creates folders, but changes no data.
 * @throws ConfigError when the cluster is inaccessible to its account, or its link is broken
 */
export function findPlace(dataDir: string): Place {
  fs.mkdirSync(dataDir, { recursive: true });
  const real = fs.realpathSync(dataDir);
  const entry = path.join(real, CLUSTER);
  const account = serverAccount(entry);
  const home = homeOf(entry, account);
  fs.mkdirSync(home, { recursive: true });
  return { entry, cluster: path.join(home, CLUSTER), home, account };
}

/** Returns the path of the marker file that exists while a backup is being restored. */
export function unfinishedRestore({ home }: Place): string {
  return path.join(home, UNFINISHED_RESTORE);
}

/** `gone`: the link to the cluster is broken, for example because its disk is not mounted. */
export type Stored = 'cluster' | 'none' | 'gone' | 'unfinished restore';

/** Returns what a DATA_DIR has of a cluster. Creates nothing, unlike {@link findPlace}, and never throws. */
export function whatIsStored(dataDir: string): Stored {
  const entry = path.join(dataDir, CLUSTER);
  const homes = [dataDir, ...sharedHomes(dataDir)];
  if (homes.some((home) => fs.existsSync(path.join(home, UNFINISHED_RESTORE)))) return 'unfinished restore';
  if (homes.some((home) => hasContent(path.join(home, CLUSTER)))) return 'cluster';
  return !fs.existsSync(entry) && isLink(entry) ? 'gone' : 'none';
}

function sharedHomes(dataDir: string): string[] {
  const file = instanceFile(dataDir);
  return fs.existsSync(file) ? [path.join(SHARED_HOME, fs.readFileSync(file, 'utf8').trim())] : [];
}

/** An empty folder may be where a disk is to be mounted. A folder of another account cannot be read. */
function hasContent(folder: string): boolean {
  try {
    return fs.readdirSync(folder).length > 0;
  } catch {
    return fs.existsSync(folder);
  }
}

function isLink(file: string): boolean {
  try {
    return fs.lstatSync(file).isSymbolicLink();
  } catch {
    return false;
  }
}

function homeOf(entry: string, account: Account | null): string {
  const dataDir = path.dirname(entry);
  const found = fs.lstatSync(entry, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return path.dirname(followLink(entry));
  if (!account || canEnter(account, dataDir)) return dataDir;
  // Creating a new cluster elsewhere would look like a loss of all data.
  if (found)
    throw new ConfigError(
      `${entry} holds a database, but the account that runs it (uid ${account.uid}) may not enter ${dataDir}: allow it (chmod o+x on the folders above)`,
    );
  return path.join(SHARED_HOME, instanceId(dataDir));
}

function followLink(entry: string): string {
  try {
    return fs.realpathSync(entry);
  } catch {
    const target = fs.readlinkSync(entry);
    throw new ConfigError(
      `${entry} points to ${target}, which is gone: bring it back, or remove the link to start with an empty database`,
    );
  }
}

/**
 * Returns a random name stored in the DATA_DIR. A name derived from the path would give the data of a deleted DATA_DIR to the
 * next one at the same path.
 */
function instanceId(dataDir: string): string {
  const file = instanceFile(dataDir);
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  fs.writeFileSync(draft, randomBytes(8).toString('hex'));
  try {
    fs.linkSync(draft, file); // fails if the file exists; never exposes a partial file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(draft);
  }
  const id = fs.readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{16}$/.test(id)) throw new ConfigError(`${file} should hold 16 hexadecimal digits`);
  return id;
}

function instanceFile(dataDir: string): string {
  return path.join(dataDir, 'instance');
}
