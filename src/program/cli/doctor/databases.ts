import fs from 'node:fs';
import path from 'node:path';
import { type Config, ConfigError, type DatabaseUrls } from '../../../platform/config/config.ts';
import { type Absence, absentDatabase } from '../absent-database.ts';
import { KEPT_FILES } from '../backup/manifest.ts';
import { commandClock } from '../command-clock.ts';
import { readTime } from '../../../platform/db/clock.ts';
import { environmentsIn } from '../../../platform/db/partitions.ts';
import { systemClock } from '../../../kit/clock.ts';
import { openSecrets } from '../../start/secrets.ts';
import { findRoot } from '../../start/secrets-store.ts';
import { describeDatabaseError } from '../../database-errors.ts';
import { withDatabases, withPool } from '../databases.ts';
import { knownMigrations, type SchemaKind, unknownMigrations } from '../migrations.ts';
import { appliedMigrations, type ServerState, serverState } from '../store.ts';
import { findTeamsWithOpenKeys } from '../../../tenants/keys/store.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const OLDEST_VERSION_NUM = 150000;
/**
 * Tolerated clock difference. Ids and deadlines use our clock, a few columns the database's: with a larger difference, lists
 * look unordered.
 */
const SKEW_WARN_MS = 1_000;
const SKEW_FAIL_MS = 10_000;

/** Teams that a finding names. */
const MAX_TEAMS_NAMED = 3;

const DATABASES: readonly { store: keyof DatabaseUrls; kind: SchemaKind }[] = [
  { store: 'control', kind: 'control' },
  { store: 'sandbox', kind: 'store' },
  { store: 'live', kind: 'store' },
];

/**
 * Checks that the databases are reachable, recent enough, migrated and have the right time. The embedded server is started
 * for the check unless it runs.
 */
export async function checkDatabases(config: Config): Promise<Finding[]> {
  const absent = config.database_urls ? null : absentDatabase(config.data_dir);
  if (absent) return [absenceFinding(config, absent)];
  try {
    return await withDatabases(config, (urls) => examineAll(config, urls));
  } catch (error) {
    return [
      fail(
        'databases',
        (error as Error).message,
        `Look in ${path.join(config.data_dir, 'pg18.log')} for messages of PostgreSQL.`,
      ),
    ];
  }
}

/** Judges a DATA_DIR without a database: one that has files of an installation may be the wrong one. */
function absenceFinding({ data_dir }: Config, { kind, message, advice }: Absence): Finding {
  const name = 'databases';
  if (kind !== 'none') return fail(name, message, advice);
  const traces = ['pg18', ...KEPT_FILES].filter((file) => fs.existsSync(path.join(data_dir, file)));
  if (traces.length === 0) return ok(name, 'none yet: the first start creates them');
  return warn(
    name,
    `${message}, although it has ${traces.join(' and ')}`,
    'If the service had data, correct DATA_DIR or mount its disk: the first start creates an empty database.',
  );
}

interface Probe {
  finding: Finding;
  /** How far our clock is ahead of the server's; undefined when it could not be read. */
  skew_ms?: number;
  /** Whether its clock is unmodified, as production requires; undefined when the database is not migrated. */
  plain?: boolean;
}

async function examineAll(config: Config, urls: DatabaseUrls): Promise<Finding[]> {
  const probes = await Promise.all(DATABASES.map(({ store, kind }) => probe(store, kind, urls[store])));
  const skews = probes.flatMap(({ skew_ms }) => (skew_ms === undefined ? [] : [skew_ms]));
  const migrated = probes[0]?.finding.status === 'ok';
  const secrets = migrated ? await checkSecrets(config, urls.control) : [];
  const publicKeys = migrated ? [await checkPublicKeys(config, urls.control)] : [];
  const moved = DATABASES.filter((_, i) => probes[i]?.plain === false).map(({ store }) => store);
  return [
    ...probes.map(({ finding }) => finding),
    ...secrets,
    ...publicKeys,
    ...(skews.length > 0 ? [clockFinding(skews)] : []),
    ...(moved.length > 0 ? [timeFinding(config, moved)] : []),
  ];
}

async function probe(store: keyof DatabaseUrls, kind: SchemaKind, url: string): Promise<Probe> {
  const name = `database ${store}`;
  const variable = `${store.toUpperCase()}_DATABASE_URL`;
  try {
    return await withPool(url, async (db) => {
      // The first query opens the connection, so that the second one measures only the round trip.
      await serverState(db);
      const asked = systemClock.now();
      const server = await serverState(db);
      const skew_ms = (asked + systemClock.now()) / 2 - server.now.getTime();
      const other = (await environmentsIn(db))?.find((one) => one !== store);
      const finding = other
        ? fail(name, `is the database of the ${other} environment`, `Correct ${variable}: no process starts with it.`)
        : databaseFinding(name, server, kind, await appliedMigrations(db));
      return { finding, skew_ms, ...(finding.status === 'ok' ? { plain: (await readTime(db)).plain } : {}) };
    });
  } catch (error) {
    const reason = describeDatabaseError(error) ?? (error as Error).message;
    return { finding: fail(name, reason, `Start that PostgreSQL, or correct ${variable}.`) };
  }
}

/** Checks that the secrets keys are those of this installation. Returns nothing while no secret is stored. */
async function checkSecrets(config: Config, url: string): Promise<Finding[]> {
  const name = 'sealed secrets';
  return withPool(url, async (control) => {
    if ((await findRoot(control)) === undefined) return [];
    try {
      const { keys } = await openSecrets(config, control, new Date(commandClock.now()));
      return [ok(name, `open with the secrets key ${keys.current().id}`)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [fail(name, error.message, 'Give every process the keys with which this installation sealed its secrets.')];
    }
  });
}

/** Recommends to restrict public keys for live to paying. Only production warns: the keys of a development machine stay on it. */
async function checkPublicKeys({ profile }: Config, url: string): Promise<Finding> {
  const name = 'public keys';
  const teams = await withPool(url, (db) => findTeamsWithOpenKeys(db, new Date(commandClock.now()), MAX_TEAMS_NAMED + 1));
  if (teams.length === 0) return ok(name, 'can only pay in live');
  const more = teams.length > MAX_TEAMS_NAMED ? ' and more' : '';
  const detail = `can list and cancel payments in live, of ${teams.slice(0, MAX_TEAMS_NAMED).join(', ')}${more}`;
  const advice = 'If their pages only collect payments, run "pirogue teams set ID --public-keys pay-only" for each.';
  return profile === 'production'
    ? warn(name, detail, advice)
    : ok(name, `${detail}; before going live: "--public-keys pay-only"`);
}

/**
 * Judges a database by its version and migrations.
 * @param applied names of the migrations that the database has
 */
export function databaseFinding(
  name: string,
  server: Pick<ServerState, 'version_num' | 'version'>,
  kind: SchemaKind,
  applied: string[],
): Finding {
  const version = `PostgreSQL ${server.version}`;
  if (server.version_num < OLDEST_VERSION_NUM) return fail(name, `${version} is too old`, 'Upgrade the server to 15 or later.');
  const known = knownMigrations(kind);
  const missing = known.filter((migration) => !applied.includes(migration));
  const foreign = unknownMigrations(applied, kind);
  if (foreign.length > 0) return fail(name, `${version}, migrated by a newer Pirogue (${foreign.join(', ')})`, 'Update Pirogue.');
  if (missing.length === 0) return ok(name, `${version}, migrated`);
  const detail = applied.length === 0 ? 'empty' : `${missing.length} migrations behind`;
  return fail(name, `${version}, ${detail}`, 'Run "pirogue migrate" (a start does it too, unless MIGRATE_ON_START=off).');
}

/**
 * Judges the difference between our clock and the servers'.
 * @param skews in milliseconds, one for each server, in either direction
 */
export function clockFinding(skews: readonly number[]): Finding {
  const worst = Math.max(...skews.map(Math.abs));
  const detail = `differs from the database's by ${Math.round(worst)} ms`;
  if (worst <= SKEW_WARN_MS) return ok('clock', detail);
  const advice = 'Synchronise both clocks with the same NTP service.';
  return worst <= SKEW_FAIL_MS ? warn('clock', detail, advice) : fail('clock', detail, advice);
}

/**
 * Reports databases whose clock CLOCK_SPEED has modified.
 * @param moved names of these databases
 */
function timeFinding({ profile }: Config, moved: readonly string[]): Finding {
  const detail = `modified in ${moved.join(', ')}`;
  // A start of another role with PROFILE=development would make the demo team, with keys for live.
  const command = 'PROFILE=development CLOCK_SPEED=off npm start -- migrate';
  const advice = `CLOCK_SPEED changed it. Stop the service and run "${command}" once: it restores real time.`;
  return profile === 'production' ? fail('time', detail, advice) : warn('time', detail, advice);
}
