import fs from 'node:fs';
import path from 'node:path';
import { type MigrationFile, readMigration } from './migrations/file.ts';
import { type History, preparedBy, RULES } from './migrations/rules.ts';

/**
 * `node scripts/run.mjs scripts/migrations.ts`: checks the migrations against the rules of an upgrade without stopping
 * (docs/decisions/0076-upgrades.md). Prints each fault on a line, and each exception with its reason. Part of `npm run check`.
 */

const ROOT = path.join(import.meta.dirname, '..');

/** Migrations up to these were applied before the rules existed. */
const LAST_WITHOUT_RULES = { control: 8, store: 78 };

/** The releases that a contract step can name: the one this repository is tested with, and earlier ones. */
const RELEASES = path.join(ROOT, 'test', 'upgrade', 'releases.json');

export interface Verdict {
  faults: string[];
  /** Exceptions that are in use, with their reasons. */
  exceptions: string[];
}

/**
 * Checks migrations.
 * @param texts by path from the root of the repository
 * @param releases commits of the releases that a contract step may name
 */
export function checkMigrations(texts: Readonly<Record<string, string>>, releases: readonly string[]): Verdict {
  const verdict: Verdict = { faults: [], exceptions: [] };
  for (const kind of ['control', 'store'] as const) {
    const files = Object.keys(texts)
      .filter((file) => file.includes(`/${kind}/`) && numberOf(file) > LAST_WITHOUT_RULES[kind])
      .sort()
      .map((file) => readMigration(file, texts[file] ?? ''));
    const prepared = { validated: new Set<string>(), notNull: new Set<string>() };
    for (const [i, file] of files.entries()) {
      checkFile(file, prepared, releases, verdict);
      const { validated, notNull } = preparedBy(file, files.slice(0, i));
      for (const name of validated) prepared.validated.add(name);
      for (const name of notNull) prepared.notNull.add(name);
    }
  }
  return verdict;
}

function numberOf(file: string): number {
  return Number.parseInt(path.basename(file), 10);
}

function checkFile(file: MigrationFile, history: History, releases: readonly string[], { faults, exceptions }: Verdict): void {
  faults.push(...file.misread.map((line) => `${file.file}: not understood, or before no statement: ${line}`));
  for (const statement of file.statements) {
    const place = `${file.file}:${statement.line}`;
    const { contract, allows } = statement;
    if (contract !== null && !releases.some((release) => release.startsWith(contract))) {
      faults.push(`${place}: ${contract} is not a release of test/upgrade/releases.json`);
    }
    const broken = Object.keys(RULES).filter((name) => RULES[name]?.breaks(statement, file, history));
    for (const name of broken) {
      const allow = allows.find(({ rule }) => rule === name);
      if (allow) exceptions.push(`${place}: ${name} is allowed because ${allow.reason}`);
      else faults.push(`${place}: ${name}: ${RULES[name]?.says}`);
    }
    const needless = allows.filter(({ rule }) => !broken.includes(rule));
    faults.push(...needless.map(({ rule }) => `${place}: needs no exception for ${rule}`));
  }
}

/** Reads the migrations of the repository. */
function readTexts(): Record<string, string> {
  const files = fs.globSync('migrations/*/*.sql', { cwd: ROOT });
  return Object.fromEntries(files.map((file) => [file, fs.readFileSync(path.join(ROOT, file), 'utf8')]));
}

if (import.meta.main) {
  const { previous, earlier } = JSON.parse(fs.readFileSync(RELEASES, 'utf8')) as { previous: string; earlier: string[] };
  const { faults, exceptions } = checkMigrations(readTexts(), [previous, ...earlier]);
  for (const line of [...faults, ...exceptions]) console.log(line);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
