import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { npm } from '../../scripts/npm.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const LIST = path.join(import.meta.dirname, 'runtimes');
/** Named by what is installed there: another list gets another folder. */
const PLACE = path.join(ROOT, '.cache', `runtimes-${versionOf(path.join(LIST, 'package-lock.json'))}`);

export interface Runtime {
  major: number;
  /** The executable; null where this machine has none. */
  node: string | null;
  /** Why there is none, for `{ skip }`. */
  missing: string | false;
}

/**
 * Returns the releases of Node that a merchant may run. Those other than ours are installed once, into .cache/runtimes:
 * among our own dependencies, 300 MB would be downloaded by everyone who starts the program.
 */
export function runtimes(majors: readonly number[]): Runtime[] {
  if (majors.some((major) => !fs.existsSync(nodeOf(major)))) install();
  return majors.map((major) => {
    const node = nodeOf(major);
    return fs.existsSync(node) ? { major, node, missing: false } : { major, node: null, missing: absent(major) };
  });
}

function nodeOf(major: number): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  return path.join(PLACE, 'node_modules', `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node');
}

/** In a folder of its own, which is then moved into place as a whole: test files run side by side. */
function install(): void {
  fs.mkdirSync(path.dirname(PLACE), { recursive: true });
  const folder = fs.mkdtempSync(`${PLACE}-`);
  try {
    for (const name of ['package.json', 'package-lock.json']) fs.copyFileSync(path.join(LIST, name), path.join(folder, name));
    npm(['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    fs.renameSync(folder, PLACE);
  } catch {
    // Offline, or another test file was faster. The caller reports a release that is missing.
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function versionOf(file: string): string {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 8);
}

function absent(major: number): string {
  const how = `no Node ${major} for ${process.platform}-${process.arch} could be installed from test/sdk/runtimes`;
  if (process.env.PIROGUE_SAMPLES === 'required') throw new Error(how);
  console.error(`SKIP  the SDK is not tested under Node ${major}: ${how}`);
  return how;
}
