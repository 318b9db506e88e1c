import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../failure.ts';

/** What a backup says of itself; written last, so a folder with one is whole. */
export interface Manifest {
  format: 1;
  /** Of Pirogue and of PostgreSQL. */
  version: string;
  postgres: string;
  created_at: string;
  /** The part of the write-ahead log that makes the copied files agree. */
  log: { from: string; to: string };
  files: CopiedFile[];
}

export interface CopiedFile {
  /** Below the folder, with slashes. */
  path: string;
  bytes: number;
  sha256: string;
}

export const MANIFEST = 'manifest.json';
/** The database, below the folder of a backup. */
export const CLUSTER = 'cluster';
/** Keys that open what is sealed in the database, one on each line, the current one first. */
export const SECRETS_KEY = 'secrets.key';
/** What else of a DATA_DIR is copied. */
export const KEPT_FILES = ['keys.json', SECRETS_KEY] as const;

/** @throws Failure when the folder holds no backup, or one that this version does not know */
export function readManifest(folder: string): Manifest {
  const file = path.join(folder, MANIFEST);
  if (!fs.existsSync(file)) {
    throw new Failure(`${folder} holds no backup: there is no ${MANIFEST}`, 'Give the folder that "pirogue backup" made.');
  }
  const manifest = parsed(fs.readFileSync(file, 'utf8'));
  if (manifest?.format === 1 && Array.isArray(manifest.files)) return manifest;
  throw new Failure(`${file} can not be read`, 'It was changed, or made by a newer version: use that one.');
}

function parsed(text: string): Manifest | null {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return null;
  }
}

/** The path of a file below the folder. @throws Failure for one that would lead out of it */
export function below(folder: string, name: string): string {
  const file = path.resolve(folder, name);
  if (file.startsWith(path.resolve(folder) + path.sep)) return file;
  throw new Failure(`the backup names a file outside its folder: ${name}`, 'Do not use it.');
}
