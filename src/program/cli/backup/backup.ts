import fs from 'node:fs';
import path from 'node:path';
import { type Config, type DatabaseUrls, readConfig } from '../../../platform/config/config.ts';
import { sha256 } from '../../../kit/crypto.ts';
import { findPlace } from '../../../platform/db/embedded/place.ts';
import { absentDatabase } from '../absent-database.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { countText } from '../format.ts';
import { print } from '../output.ts';
import { type Progress, withProgress } from '../progress.ts';
import { appliedMigrations } from '../store.ts';
import { ownVersion } from '../../start/version.ts';
import { copyFile, megabytes } from './copy.ts';
import { CLUSTER, type CopiedFile, KEPT_FILES, MANIFEST, SECRETS_KEY, type Manifest } from './manifest.ts';
import { copyRunning } from './running.ts';

/** Copies DATA_DIR, whether the database runs or not. The folder is renamed to its final name when the copy is complete. */
export async function backupCommand(target: string, options: { json?: true }): Promise<void> {
  const config = readConfig(process.env);
  refuse(config, target);
  const draft = `${target}.unfinished`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const manifest = await withProgress(options.json === true, (progress) =>
      withDatabases(config, (urls) => copyAll(config, urls, draft, progress)),
    );
    if (fs.existsSync(target)) fs.rmdirSync(target);
    fs.renameSync(draft, target);
    report(config, target, manifest, options);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

function refuse(config: Config, target: string): void {
  if (config.database_urls) {
    throw new Failure(
      'the databases are external: *_DATABASE_URL is set',
      'Back them up with their own tools (pg_basebackup, pgBackRest); see docs/backup.md, also for point-in-time recovery.',
    );
  }
  // Opening it would create an empty database, whose backup looks like a good one.
  const absent = absentDatabase(config.data_dir);
  if (absent) throw new Failure(absent.message, absent.advice);
  if (!config.secrets_keys && secretKeysOf(config.data_dir).length === 0) {
    throw new Failure(
      `${config.data_dir} has no ${SECRETS_KEY} and SECRETS_KEY is not set: without the key the service does not start on the backup`,
      `Restore ${SECRETS_KEY} from an earlier backup, or set SECRETS_KEY as the service has it.`,
    );
  }
  if (fs.existsSync(target) && (!fs.statSync(target).isDirectory() || fs.readdirSync(target).length > 0)) {
    throw new Failure(`${target} is not empty`, 'Give a folder that does not exist yet.');
  }
}

async function copyAll(config: Config, urls: DatabaseUrls, draft: string, progress: Progress): Promise<Manifest> {
  const { cluster } = findPlace(config.data_dir);
  const keysBefore = secretKeysOf(config.data_dir);
  const { postgres, log, files } = await copyRunning(urls.control, cluster, path.join(draft, CLUSTER), progress);
  const manifest: Manifest = {
    format: 1,
    version: ownVersion(),
    postgres,
    created_at: new Date().toISOString(),
    migrations: await migrationsOf(urls),
    log,
    files: [
      ...files.map((file) => ({ ...file, path: `${CLUSTER}/${file.path}` })),
      ...(await copyKept(config.data_dir, draft, keysBefore)),
    ],
  };
  fs.writeFileSync(path.join(draft, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true });
  return manifest;
}

/** Reads the migrations. Called after the copy, so that the list includes every copied migration, even if a service migrates meanwhile. */
async function migrationsOf({ control, sandbox, live }: DatabaseUrls): Promise<Record<keyof DatabaseUrls, string[]>> {
  return {
    control: await withPool(control, appliedMigrations),
    sandbox: await withPool(sandbox, appliedMigrations),
    live: await withPool(live, appliedMigrations),
  };
}

/**
 * Copies the other files after the database. By then the file has every key that was used in the copied database, except keys
 * that were pruned meanwhile, which `keysBefore` has.
 * @param keysBefore keys of the file before the database was copied
 */
async function copyKept(dataDir: string, draft: string, keysBefore: string[]): Promise<CopiedFile[]> {
  const copied: CopiedFile[] = [];
  for (const name of KEPT_FILES) {
    if (name === SECRETS_KEY) {
      const keys = [...secretKeysOf(dataDir), ...keysBefore];
      if (keys.length > 0) copied.push({ path: name, ...writeKeys(path.join(draft, name), keys) });
      continue;
    }
    if (!fs.existsSync(path.join(dataDir, name))) continue;
    const file = await copyFile(path.join(dataDir, name), path.join(draft, name));
    if (file) copied.push({ path: name, ...file });
  }
  return copied;
}

function secretKeysOf(dataDir: string): string[] {
  const file = path.join(dataDir, SECRETS_KEY);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

function writeKeys(file: string, keys: string[]): Omit<CopiedFile, 'path'> {
  const text = `${[...new Set(keys)].join('\n')}\n`;
  fs.writeFileSync(file, text, { mode: 0o600, flush: true, flag: 'wx' });
  return { bytes: Buffer.byteLength(text), sha256: sha256(text).toString('hex') };
}

function report(config: Config, folder: string, manifest: Manifest, options: { json?: true }): void {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const kept = KEPT_FILES.filter((name) => manifest.files.some((file) => file.path === name));
  const secrets_key = kept.includes(SECRETS_KEY);
  const { created_at, postgres } = manifest;
  print(options.json, { folder, created_at, postgres, files: manifest.files.length, bytes, secrets_key }, () =>
    [
      `${folder}: ${countText(manifest.files.length)} files, ${megabytes(bytes)}`,
      `${kept.length > 0 ? `includes ${kept.join(' and ')}: ` : ''}store it where only you can read it`,
      ...(config.secrets_keys
        ? [
            'SECRETS_KEY comes from the environment and is not included: keep it elsewhere, sealed values cannot be opened without it',
          ]
        : []),
    ].join('\n'),
  );
}
