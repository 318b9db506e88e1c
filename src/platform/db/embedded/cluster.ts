import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../../kit/config-error.ts';
import { giveTo } from './account.ts';
import { type Login, SUPERUSER } from './address.ts';
import { program } from './binaries.ts';
import { type Place, unfinishedRestore } from './place.ts';
import { runProgram } from './programs.ts';

const INITDB_LIMIT_MS = 120_000;

/** Node has no unix sockets on Windows. */
const onTcp = process.platform === 'win32';

/** Marks the folder of an unfinished cluster. No other folder is ever deleted. */
export const MARK = '.initializing-';

// The built-in locale sorts identically on every system and does not change with libc or ICU updates, which corrupt indexes
// silently.
const INITDB_ARGS = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
];

/**
 * Creates the cluster if there is none. The caller holds the lock of the place.
 * @throws ConfigError after an interrupted restore, or when the folder has other files
 */
export async function ensureCluster(place: Place, binaries: string, durable: boolean): Promise<void> {
  if (fs.existsSync(unfinishedRestore(place))) {
    throw new ConfigError(
      `a restore to ${path.dirname(place.entry)} was interrupted: run "pirogue restore" again, it removes what the first one left`,
    );
  }
  await removeUnfinished(place);
  if (!isCluster(place.cluster)) await createCluster(place, binaries, durable);
  // Missing in clusters created before the service had its own login.
  if (onTcp && !fs.existsSync(passwordFile(place, 'service'))) writePassword(place, 'service');
  if (path.dirname(place.entry) !== place.home && !fs.existsSync(place.entry)) {
    fs.symlinkSync(place.cluster, place.entry);
  }
}

/** Returns the passwords of TCP clients; only on Windows. */
export function readPasswords(place: Place): Record<Login, string> {
  const read = (login: Login) => fs.readFileSync(passwordFile(place, login), 'utf8').trim();
  return { owner: read('owner'), service: read('service') };
}

function isCluster(folder: string): boolean {
  if (fs.existsSync(path.join(folder, 'PG_VERSION'))) return true;
  if (!fs.existsSync(folder)) return false;
  if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
  else throw new ConfigError(`${folder} holds files but no database: move them away`);
  return false;
}

/**
 * Creates the cluster. initdb runs in a draft folder that is renamed when it has finished. An interrupted initdb is therefore
 * harmless, even when it is still running as an orphan while the next start creates another.
 */
async function createCluster(place: Place, binaries: string, durable: boolean): Promise<void> {
  const draft = `${place.cluster}${MARK}${randomBytes(4).toString('hex')}`;
  fs.mkdirSync(draft, { mode: 0o700 });
  giveTo(place.account, draft);
  const args = ['-D', draft, '-U', SUPERUSER, ...INITDB_ARGS, ...authentication(place), ...(durable ? [] : ['--no-sync'])];
  await runProgram(program(binaries, 'initdb'), args, place.account, INITDB_LIMIT_MS);
  await fs.promises.rename(draft, place.cluster);
  if (durable) syncFolder(place.home);
}

function authentication(place: Place): string[] {
  if (!onTcp) return ['--auth-local=trust', '--auth-host=reject'];
  writePassword(place, 'owner');
  return ['--auth=scram-sha-256', `--pwfile=${passwordFile(place, 'owner')}`];
}

function writePassword(place: Place, login: Login): void {
  fs.writeFileSync(passwordFile(place, login), randomBytes(18).toString('hex'), { mode: 0o600 });
}

function passwordFile(place: Place, login: Login): string {
  return `${place.cluster}.${login === 'owner' ? 'password' : 'service-password'}`;
}

async function removeUnfinished(place: Place): Promise<void> {
  const names = fs.readdirSync(place.home).filter((name) => name.startsWith(path.basename(place.cluster) + MARK));
  for (const name of names) {
    // An orphaned initdb may still be writing to it.
    await fs.promises.rm(path.join(place.home, name), {
      recursive: true,
      force: true,
      maxRetries: 20,
      retryDelay: 50,
    });
  }
}

/** A rename is durable only after its parent folder is synced. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}
