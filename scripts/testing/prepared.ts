import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const FOLDER = path.join(ROOT, '.cache', 'clusters');
/** Sources that determine the content of the databases in a new cluster. */
const SOURCES = ['migrations', 'src/kit', 'src/platform/db', 'scripts/testing', 'package-lock.json'];
/** How long a cluster is kept. Its name contains the hour, so later runs do not copy it. */
const KEPT_MS = 2 * 3_600_000;

/**
 * Returns the folder of a cluster with the templates of this version, to be copied. Creating one takes seconds, and a full run starts
 * some twenty servers: its own, and those in the tests of the runner.
 * @param make creates the cluster in a folder that does not exist yet
 * @returns null on Windows, or where the folder of clusters cannot be written
 */
export async function prepared(make: (folder: string) => Promise<void>): Promise<string | null> {
  // On Windows a cluster has passwords, in files beside it that a copy would lack.
  if (process.platform === 'win32' || !canKeep()) return null;
  const folder = path.join(FOLDER, keyOf(SOURCES));
  if (fs.existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  try {
    await make(draft);
    fs.renameSync(draft, folder);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error; // otherwise another run has created the same cluster
  }
  for (const name of fs.readdirSync(FOLDER)) removeOld(path.join(FOLDER, name));
  return folder;
}

/** Copies a folder of plain files and folders, as root with their owners, because PostgreSQL opens only files of its own account. */
export function copyFolder(from: string, to: string): void {
  const { mode, uid, gid } = fs.statSync(from);
  const isRoot = process.getuid?.() === 0;
  fs.mkdirSync(to, { mode: mode & 0o777 });
  if (isRoot) fs.chownSync(to, uid, gid);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) {
      copyFolder(source, target);
      continue;
    }
    fs.copyFileSync(source, target);
    if (isRoot) fs.chownSync(target, uid, gid);
  }
}

function canKeep(): boolean {
  try {
    fs.mkdirSync(FOLDER, { recursive: true });
    fs.accessSync(FOLDER, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the name of a cluster. It contains the hour, because a new database has the partitions of its day and work that is due. */
function keyOf(sources: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.version} ${process.getuid?.()} ${process.env.TEST_PARTITIONED}`);
  for (const file of sources.flatMap(filesOf)) hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(ROOT, file)));
  return `${new Date().toISOString().slice(0, 13)}-${hash.digest('hex').slice(0, 16)}`;
}

function filesOf(source: string): string[] {
  if (fs.statSync(path.join(ROOT, source)).isFile()) return [source];
  const entries = fs.readdirSync(path.join(ROOT, source), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))).sort();
}

function removeOld(folder: string): void {
  const made = fs.statSync(folder, { throwIfNoEntry: false });
  if (!made || Date.now() - made.mtimeMs <= KEPT_MS) return;
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // The cluster belongs to another account, or another run is removing it.
  }
}
