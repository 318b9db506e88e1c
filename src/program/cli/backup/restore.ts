import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Config, type DatabaseUrls, readConfig } from '../../../platform/config/config.ts';
import { type Account, giveTo } from '../../../platform/db/embedded/account.ts';
import { MARK } from '../../../platform/db/embedded/cluster.ts';
import { tryLock } from '../../../platform/db/embedded/lock.ts';
import { findPlace, type Place, unfinishedRestore } from '../../../platform/db/embedded/place.ts';
import { takeStartLock } from '../../start/start-lock.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { missingMigrations, unknownMigrations } from '../migrations.ts';
import { print, shortMoment } from '../output.ts';
import { type Progress, withProgress } from '../progress.ts';
import { CopyProgress, copyFile, eachFile } from './copy.ts';
import { below, CLUSTER, type CopiedFile, KEPT_FILES, type Manifest, readManifest } from './manifest.ts';

/** Restores a backup to a new DATA_DIR and opens it once, so that a backup that cannot be opened is detected now. */
export async function restoreCommand(source: string, options: { json?: true }): Promise<void> {
  const config = readConfig(process.env);
  if (config.database_urls) {
    throw new Failure('*_DATABASE_URL is set: a backup is restored to a DATA_DIR', 'Unset the three addresses.');
  }
  const manifest = readManifest(source);
  const behind = await withProgress(options.json === true, async (progress) => {
    const startLock = await takeStartLock(config.data_dir);
    try {
      await restoreTo(config, source, manifest, progress);
    } finally {
      startLock.release();
    }
    progress.update('opening the database, which replays its log');
    return opened(config);
  });
  const { created_at, version } = manifest;
  print(options.json, { data_dir: config.data_dir, created_at, version, migrations_missing: behind }, () =>
    [
      `${config.data_dir}: restored to the end of the backup of ${shortMoment(new Date(created_at))}`,
      behind > 0 ? 'The backup is of an older version: run "pirogue migrate" first.' : '',
      'Start no process of role "all" or "worker" yet: it sends payouts, refunds, returns and tranches at once, also those sent after the backup.',
      'Next: run "pirogue ledger verify", compare with the statements of the providers ("pirogue reconcile"), and end what they show as paid.',
      'docs/backup.md describes the steps.',
    ]
      .filter(Boolean)
      .join('\n'),
  );
}

async function restoreTo(config: Config, source: string, manifest: Manifest, progress: Progress): Promise<void> {
  const place = findPlace(config.data_dir);
  const lock = tryLock(`${place.cluster}.lock`);
  if (!lock) throw new Failure(`${config.data_dir} is in use`, 'Stop the service first.');
  const unfinished = unfinishedRestore(place);
  // The next start removes a folder with this name if the restore is interrupted.
  const draft = `${place.cluster}${MARK}${randomBytes(4).toString('hex')}`;
  let marked = fs.existsSync(unfinished);
  try {
    if (marked) removeRestored(config, place);
    refuse(config, place, manifest);
    // While this file exists, no start opens the folder, which has only some files of the backup.
    fs.writeFileSync(unfinished, `restoring ${source}\n`, { mode: 0o600, flush: true });
    marked = true;
    await restoreCluster(source, manifest, draft, { account: place.account, progress });
    await restoreKept(config, source, manifest);
    fs.renameSync(draft, place.cluster);
    fs.rmSync(unfinished);
  } catch (error) {
    if (marked) removeRestored(config, place);
    fs.rmSync(unfinished, { force: true });
    throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
    lock.release();
  }
}

/** Removes the files of an interrupted restore. None of them existed before, because a restore never overwrites. */
function removeRestored(config: Config, place: Place): void {
  fs.rmSync(place.cluster, { recursive: true, force: true });
  for (const name of KEPT_FILES) fs.rmSync(path.join(config.data_dir, name), { force: true });
}

function refuse(config: Config, place: Place, manifest: Manifest): void {
  const inTheWay = [place.cluster, place.entry, ...KEPT_FILES.map((name) => path.join(config.data_dir, name))].find((file) =>
    fs.existsSync(file),
  );
  if (inTheWay) {
    throw new Failure(
      `${inTheWay} exists already`,
      'A restore never overwrites: set DATA_DIR to a new folder, or move the file away.',
    );
  }
  const major = path.basename(place.cluster).replace(/^pg/, '');
  if (manifest.postgres.split('.')[0] !== major) {
    throw new Failure(
      `the backup is of PostgreSQL ${manifest.postgres}; this version includes ${major}`,
      'Restore it with the version of Pirogue that created it.',
    );
  }
  refuseNewer(manifest);
}

/** Compares migrations, not versions of Pirogue: copies of the source with one version may have different ones. */
function refuseNewer({ migrations, version }: Manifest): void {
  if (!migrations) return;
  const { control, sandbox, live } = migrations;
  const unknown = new Set([...unknownMigrations(control, 'control'), ...unknownMigrations([...sandbox, ...live], 'store')]);
  if (unknown.size === 0) return;
  throw new Failure(
    `the backup was migrated by a newer Pirogue (${[...unknown].join(', ')})`,
    `Restore it with the version that the service had then: ${version} or later.`,
  );
}

async function restoreCluster(
  source: string,
  { files }: Manifest,
  draft: string,
  { account, progress }: { account: Account | null; progress: Progress },
): Promise<void> {
  const from = path.join(source, CLUSTER);
  const folders = fs.readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = ['', ...folders.map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)))];
  for (const name of names.sort()) {
    fs.mkdirSync(path.join(draft, name), { mode: 0o700 });
    giveTo(account, path.join(draft, name));
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const copying = new CopyProgress(progress, 'copying the backup', bytes);
  const ofCluster = files.filter(({ path: name }) => name.startsWith(`${CLUSTER}/`));
  await eachFile(ofCluster, (file) =>
    restoreFile(source, file, below(draft, file.path.slice(CLUSTER.length + 1)), account, copying),
  );
}

async function restoreKept(config: Config, source: string, { files }: Manifest): Promise<void> {
  const { uid, gid } = fs.statSync(config.data_dir);
  const owner = process.getuid?.() === 0 ? { uid, gid } : null;
  for (const file of files.filter(({ path: name }) => KEPT_FILES.some((kept) => kept === name))) {
    await restoreFile(source, file, path.join(config.data_dir, file.path), owner);
  }
}

/**
 * Copies one file of the backup.
 * @throws Failure when its hash differs from the manifest
 */
async function restoreFile(
  source: string,
  wanted: CopiedFile,
  to: string,
  account: Account | null,
  copying?: CopyProgress,
): Promise<void> {
  const found = await copyFile(below(source, wanted.path), to, copying);
  if (found?.sha256 !== wanted.sha256) {
    fs.rmSync(to, { force: true });
    throw new Failure(
      `${wanted.path} of the backup is ${found ? 'damaged' : 'missing'}`,
      'Use another backup; nothing was restored.',
    );
  }
  giveTo(account, to);
}

/**
 * Starts the database, which replays the log.
 * @returns how many migrations it lacks
 */
function opened(config: Config): Promise<number> {
  const missingIn = async (urls: DatabaseUrls) => {
    const missing = [
      await withPool(urls.control, (db) => missingMigrations(db, 'control')),
      await withPool(urls.sandbox, (db) => missingMigrations(db, 'store')),
      await withPool(urls.live, (db) => missingMigrations(db, 'store')),
    ];
    return missing.flat().length;
  };
  // Until it has been opened, the restore is not finished.
  return withDatabases(config, missingIn, { create: true });
}
