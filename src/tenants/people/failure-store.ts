import { type Queryable, sql, type Tx } from '../../kit/sql.ts';

/**
 * Counts one attempt under each name and returns the counts. It is one statement, so that concurrent attempts are all included. A
 * count starts again when the period since its first attempt has passed.
 */
export function countAttempts(
  db: Queryable,
  names: readonly string[],
  period_ms: number,
): Promise<{ name: string; failures: number; wait_ms: number }[]> {
  // Locked in the order of the column, to prevent deadlocks between two statements.
  return db.all(sql`
    insert into sign_in_failures as f (name, failures, since)
    select name, 1, pirogue_now() from unnest(${[...names]}::text[]) as name order by name collate "C"
    on conflict (name) do update set
      failures = case when f.since <= pirogue_now() - ${period_ms}::float8 * interval '1 ms' then 1 else f.failures + 1 end,
      since = case when f.since <= pirogue_now() - ${period_ms}::float8 * interval '1 ms' then pirogue_now() else f.since end
    returning f.name, f.failures,
      (extract(epoch from f.since - pirogue_now()) * 1000 + ${period_ms}::float8)::float8 as wait_ms`);
}

/**
 * Deletes the counts of a person who has signed in, and subtracts their attempt from the count of their address, which others share.
 * @param names under which the person's attempts were counted
 */
export async function forgetAttempts(tx: Tx, names: readonly string[], address: string): Promise<void> {
  // In the order in which concurrent attempts lock their rows.
  await tx.run(sql`select from sign_in_failures where name = any(${[...names, address]}::text[]) order by name for update`);
  await tx.run(sql`delete from sign_in_failures where name = any(${[...names]}::text[])`);
  await tx.run(sql`update sign_in_failures set failures = greatest(failures - 1, 0) where name = ${address}`);
}
