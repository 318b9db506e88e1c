import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Where the programs are, by name. */
export interface Programs {
  etcd: string;
  patroni: string;
  haproxy: string;
  pgbouncer: string;
  redis: string;
  /** Folder of PostgreSQL's programs. */
  postgres: string;
}

/** A program that a cluster needs, and Debian's package that has it. */
interface Wanted {
  part: keyof Programs;
  package: string;
  find(folders: readonly string[]): string | undefined;
}

const MIN_POSTGRES = 15;
const POSTGRES_FOLDERS = '/usr/lib/postgresql';

const named =
  (...names: string[]) =>
  (folders: readonly string[]) =>
    folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find((file) => isProgram(file));

const WANTED: readonly Wanted[] = [
  { part: 'etcd', package: 'etcd-server', find: named('etcd') },
  { part: 'patroni', package: 'patroni python3-etcd', find: named('patroni') },
  { part: 'haproxy', package: 'haproxy', find: named('haproxy') },
  { part: 'pgbouncer', package: 'pgbouncer', find: named('pgbouncer') },
  { part: 'redis', package: 'redis-server', find: named('redis-server', 'valkey-server') },
  { part: 'postgres', package: 'postgresql', find: postgresFolder },
];

export interface Found {
  programs: Partial<Programs>;
  /** Debian's packages of the programs that are not there. */
  missing: string[];
}

/**
 * Looks for the programs on PATH and in the folders of the system.
 * @param needed the parts that are started here
 */
export function findPrograms(
  needed: readonly (keyof Programs)[] = WANTED.map(({ part }) => part),
  search = process.env.PATH ?? '',
): Found {
  const folders = [...new Set([...search.split(path.delimiter).filter(Boolean), '/usr/sbin', '/usr/bin'])];
  const found = WANTED.filter(({ part }) => needed.includes(part)).map((wanted) => ({ ...wanted, file: wanted.find(folders) }));
  return {
    programs: Object.fromEntries(found.flatMap(({ part, file }) => (file ? [[part, file]] : []))),
    missing: found.flatMap((wanted) => (wanted.file ? [] : wanted.package.split(' '))),
  };
}

/** Returns the sentence that says what is missing, and the command that installs it. */
export function missingText(missing: readonly string[]): string {
  return `not installed: ${missing.join(', ')}. On Debian or Ubuntu: apt-get install --no-install-recommends ${missing.join(' ')}`;
}

/** Returns the version that a PgBouncer reports, as one number: 1.21 is 121. */
export function pgbouncerVersion(program: string): number {
  const text = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
  if (!major) throw new Error(`${program} --version does not report the version of a PgBouncer`);
  return Number(major) * 100 + Number(minor);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Returns the folder of the newest PostgreSQL that is supported. */
function postgresFolder(): string | undefined {
  if (!fs.existsSync(POSTGRES_FOLDERS)) return undefined;
  const versions = fs.readdirSync(POSTGRES_FOLDERS).map(Number);
  return versions
    .filter((version) => version >= MIN_POSTGRES)
    .sort((a, b) => b - a)
    .map((version) => path.join(POSTGRES_FOLDERS, String(version), 'bin'))
    .find((folder) => isProgram(path.join(folder, 'postgres')));
}
