import { type Queryable, sql } from '../../kit/sql.ts';

/**
 * Counts one attempt under each name and returns the counts. It is one statement, so that concurrent attempts are all included. A
 * count starts again when the period since its first attempt has passed.
 */
export function countAttempts(
  db: Queryable,
  names: readonly string[],
  period_ms: number,
): Promise<{ name: string; failures: number; wait_ms: number }[]> {
  // Sorted by name to prevent deadlocks between two statements.
  return db.all(sql`
    insert into sign_in_failures as f (name, failures, since)
    select name, 1, pirogue_now() from unnest(${[...names].sort()}::text[]) as name order by name
    on conflict (name) do update set
      failures = case when f.since <= pirogue_now() - ${period_ms}::float8 * interval '1 ms' then 1 else f.failures + 1 end,
      since = case when f.since <= pirogue_now() - ${period_ms}::float8 * interval '1 ms' then pirogue_now() else f.since end
    returning f.name, f.failures,
      (extract(epoch from f.since - pirogue_now()) * 1000 + ${period_ms}::float8)::float8 as wait_ms`);
}

/** Deletes the counts under these names, after the person has signed in. */
export async function forgetAttempts(db: Queryable, names: readonly string[]): Promise<void> {
  await db.run(sql`delete from sign_in_failures where name = any(${[...names]}::text[])`);
}

/** Subtracts one attempt that must not count. */
export async function takeBackAttempt(db: Queryable, name: string): Promise<void> {
  await db.run(sql`update sign_in_failures set failures = greatest(failures - 1, 0) where name = ${name}`);
}
