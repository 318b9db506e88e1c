import { type Queryable, sql } from '../../kit/sql.ts';

/** Returns the names of the migrations that a database has; none when it is empty. */
export async function appliedMigrations(db: Queryable): Promise<string[]> {
  const found = await db.maybe<{ migrated: boolean }>(
    sql`select to_regclass('public.schema_migrations') is not null as migrated`,
  );
  if (!found?.migrated) return [];
  const rows = await db.all<{ name: string }>(sql`select name from schema_migrations order by name`);
  return rows.map(({ name }) => name);
}

export interface ServerState {
  /** As in `server_version_num`: 180004 for 18.4. */
  version_num: number;
  version: string;
  now: Date;
}

/** Reads the version and the time of a server. */
export async function serverState(db: Queryable): Promise<ServerState> {
  const [row] = await db.all<ServerState>(sql`
    select current_setting('server_version_num')::integer as version_num, current_setting('server_version') as version,
      statement_timestamp() as now`);
  return row as ServerState;
}
