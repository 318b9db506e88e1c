import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { countText } from '../format.ts';
import type { Progress } from '../progress.ts';
import type { CopiedFile } from './manifest.ts';

/**
 * Folders whose content is recreated by every start or belongs to the current run. They are copied empty (as pg_basebackup
 * does).
 */
const EMPTY_FOLDERS = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|current_logfiles|pg_internal\.init.*|pgsql_tmp.*)$/;
/** Contains the start of log replay. It is copied last, so that it is never older than the other files. */
export const CONTROL_FILE = 'global/pg_control';
/** Number of files copied at once. Most of the time is spent on flushing thousands of small files, which Node does in four threads. */
const FILES_AT_ONCE = 4;
const MIN_BUFFER_BYTES = 8 * 1024;
const MAX_BUFFER_BYTES = 256 * 1024;

/** Shows how much of a copy is done. */
export class CopyProgress {
  readonly #progress: Progress;
  readonly #step: string;
  readonly #total: number;
  #done = 0;

  /** @param total expected size in bytes; files can grow or shrink while they are copied */
  constructor(progress: Progress, step: string, total: number) {
    this.#progress = progress;
    this.#step = step;
    this.#total = total;
    progress.update(step);
  }

  /** Counts bytes that were copied. */
  add(bytes: number): void {
    this.#done += bytes;
    this.#progress.update(this.#step, () => {
      const share = Math.min(100, Math.floor((this.#done * 100) / Math.max(1, this.#total)));
      return `${share} %, ${megabytes(this.#done)} of ${megabytes(this.#total)}`;
    });
  }
}

/** Formats a size. */
export function megabytes(bytes: number): string {
  return `${countText(Math.round(bytes / 1e6))} MB`;
}

/** Returns the size of these files in bytes, without those that are gone. */
export function sizeOf(folder: string, files: readonly string[]): number {
  return files.reduce((sum, name) => sum + (fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

export interface Listing {
  folders: string[];
  files: string[];
}

/** Returns the folders and files of a cluster that belong in a backup, as paths below it, without {@link CONTROL_FILE}. */
export function listCluster(cluster: string): Listing {
  const found: Listing = { folders: [], files: [] };
  const walk = (folder: string) => {
    for (const entry of fs.readdirSync(path.join(cluster, folder), { withFileTypes: true })) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.test(entry.name)) continue;
      if (entry.isFile()) found.files.push(name);
      if (!entry.isDirectory()) continue;
      found.folders.push(name);
      if (!EMPTY_FOLDERS.has(name)) walk(name);
    }
  };
  walk('');
  return { folders: found.folders, files: found.files.filter((name) => name !== CONTROL_FILE) };
}

/**
 * Runs the work for each file, several at once.
 * @throws the first error, after all running work has ended
 */
export async function eachFile<File>(files: readonly File[], work: (file: File) => Promise<void>): Promise<void> {
  const left = files.values();
  let failed = false;
  const worker = async () => {
    for (const file of left) {
      if (failed) return;
      await work(file).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, worker));
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}

/**
 * Copies one file, readable by its owner only, and flushes it to disk.
 * @returns size and hash; null when the file is gone: the server removes files of dropped tables during the copy, which the
 * log records
 */
export async function copyFile(from: string, to: string, progress?: CopyProgress): Promise<Omit<CopiedFile, 'path'> | null> {
  try {
    await using source = await fs.promises.open(from);
    await using target = await fs.promises.open(to, 'wx', 0o600);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.max(MIN_BUFFER_BYTES, Math.min(MAX_BUFFER_BYTES, (await source.stat()).size + 1)));
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      await target.writeFile(chunk);
      bytes += bytesRead;
      progress?.add(bytesRead);
    }
    await target.sync();
    return { bytes, sha256: hash.digest('hex') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || fs.existsSync(from)) throw error;
    return null;
  }
}
