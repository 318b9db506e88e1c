import fs from 'node:fs/promises';
import path from 'node:path';
import type { MigrationBuilder } from 'node-pg-migrate';
import pg from 'pg';
import { pgCode } from '../../kit/sql.ts';
import { type Ask, indexSteps } from './partitioned-indexes.ts';

/** A comment line that makes a file run without a transaction, as `create index concurrently` requires. */
export const NO_TRANSACTION = /^-- migration: no transaction$/m;

/**
 * Longest wait for a lock in a file without a transaction, which waits for older transactions to end. Its lock conflicts with neither
 * reads nor writes, so no statement of the service waits behind it.
 */
const CONCURRENT_LOCK_TIMEOUT_MS = 1_800_000;

const BUILT = /^\s*create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/i;
const UNDEFINED_TABLE = '42P01';

/** Returns the names of the migrations in a folder, oldest first. */
export async function filesOf(folder: string): Promise<string[]> {
  const files = await fs.readdir(folder);
  return files
    .filter((file) => file.endsWith('.sql'))
    .map((file) => path.parse(file).name)
    .sort();
}

/** Returns the names of the migrations that a database has. */
export async function applied(client: pg.Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (pgCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** Returns the statements of a file without a transaction, which are sent one by one. A statement ends at the end of a line. */
export function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .filter((statement) => statement.trim() !== '');
}

/** Returns a loader of SQL files that limits waits for locks and repeats interrupted index builds. */
export function sqlFiles(lock_timeout_ms: number) {
  return (files: string[]) => Promise.all(files.map((file) => loadFile(file, lock_timeout_ms)));
}

async function loadFile(file: string, lock_timeout_ms: number) {
  const text = await fs.readFile(file, 'utf8');
  const up = NO_TRANSACTION.test(text)
    ? (pgm: MigrationBuilder) => runSeparately(pgm, statementsOf(text), lock_timeout_ms)
    : async (pgm: MigrationBuilder) => {
        pgm.sql(`set local lock_timeout = ${lock_timeout_ms}`);
        pgm.sql(text);
      };
  return { id: file, filePaths: [file], actions: { up, down: false as const } };
}

async function runSeparately(pgm: MigrationBuilder, statements: readonly string[], lock_timeout_ms: number): Promise<void> {
  pgm.noTransaction();
  pgm.sql(`set lock_timeout = ${CONCURRENT_LOCK_TIMEOUT_MS}`);
  for (const name of await interrupted(pgm, statements)) pgm.sql(`drop index concurrently ${pg.escapeIdentifier(name)}`);
  const ask: Ask = (query, values) => pgm.db.select(query, [...values]);
  for (const statement of statements) {
    // A table that `pirogue partition` has partitioned needs several statements. Some hold a lock that blocks the service.
    for (const { text, brief } of await indexSteps(ask, statement)) {
      pgm.sql(`set lock_timeout = ${brief ? lock_timeout_ms : CONCURRENT_LOCK_TIMEOUT_MS}`);
      pgm.sql(text);
    }
  }
  pgm.sql('reset lock_timeout');
}

/** Returns the indexes that an earlier run left unfinished. They are invalid, and `if not exists` would keep them. */
async function interrupted(pgm: MigrationBuilder, statements: readonly string[]): Promise<string[]> {
  const names = statements.flatMap((statement) => BUILT.exec(statement)?.[1] ?? []);
  const rows = await pgm.db.select(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where not i.indisvalid and c.relkind = 'i' and pg_table_is_visible(c.oid) and c.relname = any ($1)`,
    [names],
  );
  return rows.map(({ name }: { name: string }) => name);
}
