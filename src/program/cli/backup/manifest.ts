import fs from 'node:fs';
import path from 'node:path';
import type { DatabaseUrls } from '../../../platform/config/config.ts';
import { Failure } from '../failure.ts';

/** Contents of a backup. It is written last, so a folder that has one is complete. */
export interface Manifest {
  format: 1;
  /** Versions of Pirogue and of PostgreSQL. */
  version: string;
  postgres: string;
  created_at: string;
  /** Names of the migrations that each database has. Backups of the first versions lack it. */
  migrations?: Record<keyof DatabaseUrls, string[]>;
  /** First and last segment of the write-ahead log that makes the copied files consistent. */
  log: { from: string; to: string };
  files: CopiedFile[];
}

export interface CopiedFile {
  /** Path below the folder, with slashes. */
  path: string;
  bytes: number;
  sha256: string;
}

export const MANIFEST = 'manifest.json';
/** Folder of the database in a backup. */
export const CLUSTER = 'cluster';
/** Keys that encrypt secrets in the database, one on each line, the current one first. */
export const SECRETS_KEY = 'secrets.key';
/** Other files of DATA_DIR that are copied. */
export const KEPT_FILES = ['keys.json', SECRETS_KEY] as const;

/**
 * Reads the manifest of a backup.
 * @throws Failure when the folder is not a backup, or one of an unknown format
 */
export function readManifest(folder: string): Manifest {
  const file = path.join(folder, MANIFEST);
  if (!fs.existsSync(file)) {
    throw new Failure(`${folder} is not a backup: it has no ${MANIFEST}`, 'Give a folder created by "pirogue backup".');
  }
  const manifest = parsed(fs.readFileSync(file, 'utf8'));
  if (manifest?.format === 1 && Array.isArray(manifest.files)) return manifest;
  throw new Failure(`${file} cannot be read`, 'It was modified, or created by a newer version: use that version.');
}

function parsed(text: string): Manifest | null {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return null;
  }
}

/**
 * Returns the path of a file below the folder.
 * @throws Failure for a path outside the folder
 */
export function below(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  if (file.startsWith(path.resolve(folder) + path.sep)) return file;
  throw new Failure(`the backup lists a file outside its folder: ${name}`, 'Do not use it.');
}
