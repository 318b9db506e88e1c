import fs from 'node:fs';
import path from 'node:path';
import type { Environment } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import { Failure } from './failure.ts';
import { appliedMigrations } from './store.ts';

const root = path.join(import.meta.dirname, '..', '..', '..', 'migrations');

/** Migrations that a failure names. */
const MAX_NAMED = 3;

export type SchemaKind = 'control' | 'store';

/** Returns the names of the migrations of this version, oldest first. */
export function knownMigrations(kind: SchemaKind): string[] {
  return fs
    .readdirSync(path.join(root, kind))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => path.parse(file).name)
    .sort();
}

/** Returns the migrations that the database lacks. */
export async function missingMigrations(db: Queryable, kind: SchemaKind): Promise<string[]> {
  const applied = new Set(await appliedMigrations(db));
  return knownMigrations(kind).filter((name) => !applied.has(name));
}

/** Returns the migrations of a database that this version does not have, because a newer version applied them. */
export function unknownMigrations(applied: readonly string[], kind: SchemaKind): string[] {
  const known = knownMigrations(kind);
  return applied.filter((name) => !known.includes(name));
}

/**
 * Checks that a database has every migration of this version.
 * @param name of the database
 * @throws Failure when it lacks some
 */
export async function requireMigrations(db: Queryable, name: 'control' | Environment): Promise<void> {
  const missing = await missingMigrations(db, name === 'control' ? 'control' : 'store');
  if (missing.length === 0) return;
  const what = name === 'control' ? 'the control database' : `the ${name} store`;
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  throw new Failure(`${what} lacks ${missing.slice(0, MAX_NAMED).join(', ')}${more}`, 'Run "pirogue migrate" first.');
}
