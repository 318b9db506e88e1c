import pg from 'pg';
import { ConfigError } from '../../kit/config-error.ts';
import { pgCode } from '../../kit/sql.ts';
import { APP_ROLE } from './pool.ts';
import { ALL_TEAMS_ROLE } from './scope.ts';

/**
 * Login of the service. It has no privileges of its own; it may only assume the two roles, so a statement that drops the role
 * (`set role none`) has no access. Migrations and the command line connect as the owner.
 */
export const SERVICE_LOGIN = 'pirogue_service';

const DUPLICATE_OBJECT = '42710';
const INSUFFICIENT_PRIVILEGE = '42501';
const UNIQUE_VIOLATION = '23505';

/**
 * Creates the roles that migrations grant privileges to, unless they exist.
 * @throws ConfigError when the user lacks the privilege to create roles
 */
export async function ensureRoles(client: pg.Client): Promise<void> {
  await ensureRole(client, APP_ROLE, 'nologin');
  // Inherits the privileges of the application role, for the rows of every team.
  await ensureRole(client, ALL_TEAMS_ROLE, `nologin in role ${APP_ROLE}`);
  for (const role of [APP_ROLE, ALL_TEAMS_ROLE]) {
    await client.query(`do $$ begin
      if not pg_has_role(current_user, '${role}', 'member') then grant ${role} to current_user; end if;
    end $$`);
  }
}

/**
 * Creates the service's login unless it exists.
 * @param password set when the server requires one
 * @throws ConfigError when the user lacks the privilege to create roles
 */
export async function ensureServiceLogin(client: pg.Client, password: string | undefined): Promise<void> {
  await ensureRole(client, SERVICE_LOGIN, `login noinherit in role ${APP_ROLE}, ${ALL_TEAMS_ROLE}`);
  if (password !== undefined) await client.query(`alter role ${SERVICE_LOGIN} password ${pg.escapeLiteral(password)}`);
}

/** Roles are global to the server, so two processes may create one concurrently. */
async function ensureRole(client: pg.Client, role: string, options: string): Promise<void> {
  const found = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(`create role ${role} ${options}`);
  } catch (error) {
    const code = pgCode(error);
    if (code === INSUFFICIENT_PRIVILEGE) {
      throw new ConfigError(`the database user may not create the role ${role}: create it once (create role ${role} ${options})`);
    }
    if (code !== DUPLICATE_OBJECT && code !== UNIQUE_VIOLATION) throw error;
  }
}
