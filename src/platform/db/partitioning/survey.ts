import type { DbClient } from '../client.ts';
import { obstaclesOf } from './obstacles.ts';
import { type Conversion, conversionsOf } from './progress.ts';
import type { KeptTable } from './tables.ts';

/** What `pirogue partition --check` reports of a table. */
export interface TableReport {
  table: KeptTable;
  /** Rows, as autovacuum last counted them. */
  rows: number;
  /** Size with indexes. A conversion needs the same space again until it is finished. */
  bytes: number;
  /** 0: not partitioned. */
  partitions: number;
  /** Share of the rows that belong to the largest team, from a sample. Null: not known. A partition is at least as large. */
  largest_team: number | null;
  unfinished: Pick<Conversion, 'step' | 'partitions' | 'row_count'> | null;
  obstacles: string[];
}

/**
 * Reads sizes from the catalogue, without reading a table.
 * @param partitions number of partitions for a table that is not partitioned yet
 * @param together the tables would be partitioned in one run; otherwise each is judged alone
 */
export async function survey(
  client: DbClient,
  tables: readonly KeptTable[],
  partitions: number,
  together: boolean,
): Promise<TableReport[]> {
  const { rows } = await client.query<Omit<TableReport, 'unfinished' | 'obstacles'>>(SIZES, [tables]);
  const conversions = await conversionsOf(client);
  const reports: TableReport[] = [];
  for (const row of rows) {
    const found = conversions.find(({ parent }) => parent === row.table);
    const obstacles =
      row.partitions > 0 || found ? [] : await obstaclesOf(client, row.table, partitions, together ? tables : [row.table]);
    const unfinished = found ? { step: found.step, partitions: found.partitions, row_count: found.row_count } : null;
    reports.push({ ...row, unfinished, obstacles });
  }
  return reports;
}

const SIZES = `
  select t.name as table, sum(greatest(leaf.reltuples, 0))::float8 as rows, sum(pg_total_relation_size(leaf.oid))::float8 as bytes,
    (count(*) filter (where leaf.relispartition))::integer as partitions,
    (select (s.most_common_freqs)[1]::float8 from pg_stats s where s.schemaname = 'public' and s.tablename = t.name and s.attname = 'team_id'
      order by s.inherited desc limit 1) as largest_team
  from unnest($1::text[]) with ordinality t(name, place), lateral (
    select c.* from pg_class c where c.oid = to_regclass(format('public.%I', t.name)) and c.relkind = 'r'
    union all
    select c.* from pg_inherits h join pg_class c on c.oid = h.inhrelid where h.inhparent = to_regclass(format('public.%I', t.name))) leaf
  group by t.name, t.place order by t.place`;
