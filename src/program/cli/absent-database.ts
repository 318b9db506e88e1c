import fs from 'node:fs';
import path from 'node:path';
import { type Stored, whatIsStored } from '../../platform/db/embedded/place.ts';

export interface Absence {
  kind: Exclude<Stored, 'cluster'>;
  message: string;
  advice: string;
}

/** Returns why a DATA_DIR has no embedded database that can be opened, and what to do; null when it has one. */
export function absentDatabase(dataDir: string): Absence | null {
  const kind = whatIsStored(dataDir);
  if (kind === 'cluster') return null;
  if (kind === 'none') {
    const advice = 'Set DATA_DIR to the folder of the service, and check that its disk is mounted.';
    return { kind, message: `there is no database in ${dataDir}`, advice };
  }
  if (kind === 'gone') {
    const entry = path.join(dataDir, 'pg18');
    const advice = 'Bring it back (mount its disk), or remove the link to start with an empty database.';
    return { kind, message: `${entry} points to ${fs.readlinkSync(entry)}, which is gone`, advice };
  }
  const advice = 'Wait until it ends. If it was interrupted, run "pirogue restore" again: it removes what the first one left.';
  return { kind, message: `a restore to ${dataDir} is not finished`, advice };
}
