import { connectClient } from '../../src/platform/db/client.ts';

/** A world has one or two teams. */
const TEAMS = 2;

/**
 * Stores what ANALYZE would find out about the teams of a world. Without it, PostgreSQL expects that few rows belong to each team, and
 * looks up a row by any index that begins with the team: each lookup then reads all rows of the team. Autovacuum is off in a world.
 */
export async function storeStatistics(url: string): Promise<void> {
  const client = await connectClient(url);
  await client.query(`
    select pg_restore_attribute_stats('schemaname', c.relnamespace::regnamespace::text, 'relname', c.relname::text,
      'attname', a.attname::text, 'inherited', c.relkind = 'p', 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', ${TEAMS}::real)
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace::regnamespace::text in ('public', 'pirogue_partitions') and c.relkind in ('r', 'p') and a.attname = 'team_id'`);
  await client.end();
}
