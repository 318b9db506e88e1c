import fs from 'node:fs';
import path from 'node:path';
import { npm } from '../../scripts/npm.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const LIST = path.join(import.meta.dirname, 'runtimes');
const PLACE = path.join(ROOT, '.cache', 'runtimes');

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
  const ours = Number(process.versions.node.split('.')[0]);
  return majors.map((major) => {
    if (major === ours) return { major, node: process.execPath, missing: false };
    const node = path.join(PLACE, 'node_modules', `node-${major}-${process.platform}-${process.arch}`, 'bin', 'node');
    if (!fs.existsSync(node)) install();
    return fs.existsSync(node) ? { major, node, missing: false } : { major, node: null, missing: absent(major) };
  });
}

function install(): void {
  fs.mkdirSync(PLACE, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) fs.copyFileSync(path.join(LIST, name), path.join(PLACE, name));
  try {
    npm(['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'], PLACE);
  } catch {
    // Offline. The caller reports which release is missing.
  }
}

function absent(major: number): string {
  const how = `no Node ${major} for ${process.platform}-${process.arch} could be installed from test/sdk/runtimes`;
  if (process.env.PIROGUE_SAMPLES === 'required') throw new Error(how);
  console.error(`SKIP  the SDK is not tested under Node ${major}: ${how}`);
  return how;
}
