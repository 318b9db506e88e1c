import type pg from 'pg';
import type { Point } from './rounds.ts';

/**
 * The same point with row-level security switched off in the database while it runs. The service still sets the team in front
 * of each statement; what is missing are the policies.
 */
export function withoutPolicies(client: pg.Client, point: Point, id: string): Point {
  let tables: string[] = [];
  return {
    ...point,
    id,
    label: `${point.label}, row-level security off`,
    prepare: async () => {
      await point.prepare();
      tables = await securedTables(client);
      await alter(client, tables, 'disable');
    },
    finish: () => alter(client, tables, 'enable'),
  };
}

async function securedTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relrowsecurity and relkind in ('r', 'p') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** One table at a time: a lock on two of them could be met from the other side by the service's sweeps. */
async function alter(client: pg.Client, tables: string[], to: 'enable' | 'disable'): Promise<void> {
  for (const table of tables) await client.query(`alter table ${table} ${to} row level security`);
}
