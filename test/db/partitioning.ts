import { connectClient, type DbClient } from '../../src/platform/db/client.ts';
import { convert, type ConvertOptions } from '../../src/platform/db/partitioning/convert.ts';
import type { Step } from '../../src/platform/db/partitioning/progress.ts';
import type { KeptTable } from '../../src/platform/db/partitioning/tables.ts';
import { inTurn } from '../../src/platform/db/partitioning/turn.ts';

/** Runs a conversion to its end. */
export function partition(url: string, table: KeptTable, options: Partial<ConvertOptions> = {}): Promise<unknown> {
  return inTurn(url, { wait: true }, (client) => convert(client, url, table, { partitions: 4, first_wait_ms: 50, ...options }));
}

/** Where a conversion is cut off: the nth time that it reports this step. */
export type Place = readonly [step: Step, nth: number];

/**
 * Runs a conversion and cuts its connection at a place, as the end of its process does.
 * @returns whether it was cut off; false: it came to its end
 */
export async function partitionCut(
  url: string,
  table: KeptTable,
  place: Place,
  options: Partial<ConvertOptions> = {},
): Promise<boolean> {
  let seen = 0;
  let cut = false;
  const work = inTurn(url, { wait: true }, (client) => {
    const progress = (step: Step) => {
      if (step !== place[0] || ++seen !== place[1]) return;
      cut = true;
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    };
    return convert(client, url, table, { partitions: 4, first_wait_ms: 50, ...options, progress });
  });
  try {
    await work;
  } catch (error) {
    if (!cut) throw error;
  }
  return cut;
}

/** Runs work on a connection of its own, as the owner. */
export async function withOwner<Result>(url: string, work: (client: DbClient) => Promise<Result>): Promise<Result> {
  const client = await connectClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Counts and sums up the rows of a table with a query of the test, in one snapshot. */
export async function checksum(client: DbClient, table: KeptTable, condition = 'true'): Promise<{ rows: number; sum: string }> {
  const { rows } = await client.query<{ rows: number; sum: string }>(
    `select count(*)::integer as rows, md5(coalesce(string_agg(t::text, E'\\n' order by t::text collate "C"), '')) as sum from ${table} t where ${condition}`,
  );
  return rows[0] as { rows: number; sum: string };
}

/**
 * Describes the tables of a store by the views of information_schema and pg_catalog, which the command does not use: what is visible of them
 * must not depend on partitions.
 */
export async function visibleShape(client: DbClient): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select concat_ws(' ', 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity,
      identity_generation, is_generated, generation_expression) as line from information_schema.columns where table_schema = 'public'
    union all select concat_ws(' ', 'index', tablename, indexname, replace(indexdef, ' ON ONLY ', ' ON ')) from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', 'policy', tablename, policyname, permissive, roles, cmd, qual, with_check) from pg_policies
      where schemaname = 'public'
    union all select concat_ws(' ', 'right', table_name, grantee, privilege_type, is_grantable) from information_schema.role_table_grants
      where table_schema = 'public'
    union all select concat_ws(' ', 'right', table_name, column_name, grantee, privilege_type) from information_schema.column_privileges
      where table_schema = 'public'
    union all select concat_ws(' ', 'trigger', event_object_table, trigger_name, event_manipulation, action_timing, action_orientation,
      translate(action_condition, '()', ''), action_statement, action_reference_new_table) from information_schema.triggers
      where event_object_schema = 'public'
    union all select concat_ws(' ', 'check', table_name, constraint_name, constraint_type) from information_schema.table_constraints
      where constraint_schema = 'public' and constraint_name not like '%_not_null'
    union all select concat_ws(' ', 'sequence', sequencename, data_type, increment_by) from pg_sequences where schemaname = 'public'
    order by line`);
  return rows.map(({ line }) => line);
}
