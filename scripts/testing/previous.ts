import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';

const ROOT = path.join(import.meta.dirname, '..', '..');
const RELEASES = path.join(ROOT, 'test', 'upgrade', 'releases.json');

/** Returns the commit of the release that nodes still run while an upgrade replaces them. */
export function previousCommit(): string {
  return (JSON.parse(fs.readFileSync(RELEASES, 'utf8')) as { previous: string }).previous;
}

/** Code of the previous release in a temporary folder, which is deleted on disposal. */
export interface PreviousRelease extends AsyncDisposable {
  folder: string;
}

/**
 * Writes the code of the previous release to a temporary folder, with the installed packages.
 * @throws Error when this repository lacks the commit or a package
 */
export async function previousRelease(): Promise<PreviousRelease> {
  const commit = previousCommit();
  if (!hasCommit(commit)) {
    throw new Error(
      `test/upgrade/releases.json names ${commit}, which this clone lacks: git fetch --unshallow (or git fetch origin ${commit})`,
    );
  }
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-previous-')));
  try {
    await extract(commit, folder);
    linkPackages(commit, folder);
  } catch (error) {
    fs.rmSync(folder, { recursive: true });
    throw error;
  }
  return { folder, [Symbol.asyncDispose]: async () => fs.rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 50 }) };
}

function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function extract(commit: string, folder: string): Promise<void> {
  const archive = spawn('git', ['archive', commit], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  archive.stdout.pipe(tar.stdin);
  const [[made], [read]] = await Promise.all([once(archive, 'close'), once(tar, 'close'), finished(archive.stdout)]);
  if (made !== 0 || read !== 0) throw new Error(`the code of ${commit} cannot be extracted (git ${made}, tar ${read})`);
}

/**
 * Links the packages of this version if they include all that the release uses; otherwise those in `var/previous`. A developer who
 * changes the pinned commit or updates a package installs those once.
 */
function linkPackages(commit: string, folder: string): void {
  const installed = path.join(ROOT, 'var', 'previous', commit, 'node_modules');
  const missing = missingPackages(folder);
  if (missing.length > 0 && !fs.existsSync(installed)) {
    throw new Error(
      `${commit} uses other packages than this version (${missing.slice(0, 5).join(', ')}): install them once, with ` +
        `git worktree add --detach var/previous/${commit} ${commit} && npm ci --prefix var/previous/${commit}`,
    );
  }
  fs.symlinkSync(missing.length > 0 ? installed : path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
}

/** Returns the packages of a release that are not installed here in the same version. Those for other systems do not count. */
function missingPackages(folder: string): string[] {
  const [theirs, ours] = [packagesOf(folder), packagesOf(ROOT)];
  return Object.keys(theirs).filter(
    (name) => name !== '' && !theirs[name]?.optional && theirs[name]?.version !== ours[name]?.version,
  );
}

function packagesOf(folder: string): Record<string, { version?: string; optional?: boolean }> {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;
}
