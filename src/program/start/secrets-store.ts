import { type Queryable, sql } from '../../kit/sql.ts';

/**
 * Returns the encrypted root of the secrets.
 * @returns undefined when no process has created it
 */
export async function findRoot(control: Queryable): Promise<string | undefined> {
  const row = await control.maybe<{ value_sealed: string }>(sql`
    select value_sealed from installation_secrets where name = 'root'`);
  return row?.value_sealed;
}

/** Stores the root unless there is one already. */
export async function insertRoot(control: Queryable, value_sealed: string, at: Date): Promise<void> {
  await control.run(sql`
    insert into installation_secrets (name, value_sealed, created_at) values ('root', ${value_sealed}, ${at})
    on conflict (name) do nothing`);
}
