import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import { pgCode } from '../kit/sql.ts';
import { connectClient } from './client.ts';
import { APP_ROLE } from './pool.ts';
import { ALL_TEAMS_ROLE } from './scope.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'migrations');

const DUPLICATE_OBJECT = '42710';
const INSUFFICIENT_PRIVILEGE = '42501';
const UNIQUE_VIOLATION = '23505';

/**
 * Brings one database to the newest schema. Safe to run from many processes at once (an advisory lock); a database
 * that is up to date costs one query.
 * @param kind `control`, or `store` for both sandbox and live
 */
export async function migrate(url: string, kind: 'control' | 'store'): Promise<void> {
  const client = await connectClient(url);
  try {
    await ensureRole(client, APP_ROLE, 'nologin');
    // It may do what the first one may, to the rows of every team.
    await ensureRole(client, ALL_TEAMS_ROLE, `nologin in role ${APP_ROLE}`);
    await runner({
      dbClient: client,
      dir: path.join(root, kind),
      migrationsTable: 'schema_migrations',
      direction: 'up',
      advisoryLockMode: 'wait',
      verbose: false,
      logger: { debug() {}, info() {}, warn: console.error, error: console.error },
    });
  } finally {
    await client.end();
  }
}

/** Roles belong to the whole server, so two databases migrating at once may both try. */
async function ensureRole(client: pg.Client, role: string, what: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (found.rowCount === 0) {
    try {
      await client.query(`create role ${role} ${what}`);
    } catch (error) {
      const code = pgCode(error);
      if (code === INSUFFICIENT_PRIVILEGE) {
        throw new Error(`the database user may not create the role ${role}: create it once (create role ${role} ${what})`);
      }
      if (code !== DUPLICATE_OBJECT && code !== UNIQUE_VIOLATION) throw error;
    }
  }
  await client.query(`do $$ begin
    if not pg_has_role(current_user, '${role}', 'member') then grant ${role} to current_user; end if;
  end $$`);
}
