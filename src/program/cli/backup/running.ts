import fs from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../../kit/crypto.ts';
import type { Progress } from '../progress.ts';
import { CONTROL_FILE, CopyProgress, copyFile, eachFile, listCluster, sizeOf } from './copy.ts';
import type { CopiedFile, Manifest } from './manifest.ts';
import { type CopySession, startCopy } from './store.ts';

const LOG_FILE = /^[0-9A-F]{24}$/;

export interface Copied extends Pick<Manifest, 'postgres' | 'log'> {
  /** With paths below the copy. */
  files: CopiedFile[];
}

/**
 * Copies a cluster whose server runs, with the log that makes the copy consistent. pg_basebackup does the same, but the npm
 * packages of PostgreSQL lack it. A server started on the copy has the state at the end of the copy.
 * @param url address of the database as the superuser
 * @param to a folder that does not exist yet
 */
export async function copyRunning(url: string, cluster: string, to: string, progress: Progress): Promise<Copied> {
  progress.update('waiting for a checkpoint');
  const session = await startCopy(url);
  try {
    const files = await copyCluster(cluster, to, progress);
    progress.update('copying the log');
    const { log, copied } = await finish(session, cluster, to);
    return { postgres: session.postgres, log, files: [...files, ...copied] };
  } finally {
    await session.close();
  }
}

/** Copies the files. They change during the copy; the changes are in the log, which is copied last. */
async function copyCluster(from: string, to: string, progress: Progress): Promise<CopiedFile[]> {
  const { folders, files } = listCluster(from);
  for (const folder of ['', ...folders]) fs.mkdirSync(path.join(to, folder), { mode: 0o700 });
  const copied: CopiedFile[] = [];
  const copying = new CopyProgress(progress, 'copying the database', sizeOf(from, files));
  const copy = async (name: string) => {
    const file = await copyFile(path.join(from, name), path.join(to, name), copying);
    if (file) copied.push({ path: name, ...file });
  };
  await eachFile(files, copy);
  await copy(CONTROL_FILE);
  return copied;
}

async function finish(session: CopySession, from: string, to: string): Promise<Pick<Manifest, 'log'> & { copied: CopiedFile[] }> {
  const { label, log } = await session.stop();
  fs.writeFileSync(path.join(to, 'backup_label'), label, { mode: 0o600, flush: true });
  const copied = [{ path: 'backup_label', bytes: Buffer.byteLength(label), sha256: sha256(label).toString('hex') }];
  const segments = fs
    .readdirSync(path.join(from, 'pg_wal'))
    .filter((name) => LOG_FILE.test(name) && name >= log.from && name <= log.to);
  for (const name of segments) {
    const file = await copyFile(path.join(from, 'pg_wal', name), path.join(to, 'pg_wal', name));
    if (!file) throw new Error(`the log ${name} was removed before it was copied`);
    copied.push({ path: `pg_wal/${name}`, ...file });
  }
  return { log, copied };
}
