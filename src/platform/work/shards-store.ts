import { type Queryable, sql } from '../../kit/sql.ts';

/**
 * Renews the membership of a worker, and deletes those that ended long ago.
 * @returns the ids of all workers, this one included, sorted
 */
export async function joinWorkers(db: Queryable, member: string, lease_ms: number): Promise<string[]> {
  const rows = await db.all<{ member: string }>(sql`
    with gone as (delete from work_members where ends_at < pirogue_now() - interval '1 hour' and member <> ${member}::uuid),
    joined as (
      insert into work_members (member, ends_at) values (${member}::uuid, pirogue_now() + ${lease_ms}::float8 * interval '1 ms')
      on conflict (member) do update set ends_at = excluded.ends_at
    )
    select member::text from work_members where ends_at > pirogue_now() and member <> ${member}::uuid
    union all select ${member}::uuid::text
    order by 1`);
  return rows.map((row) => row.member);
}

/** Ends the membership of a worker, so that the others divide its shards among themselves. */
export async function leaveWorkers(db: Queryable, member: string): Promise<void> {
  await db.run(sql`delete from work_members where member = ${member}::uuid`);
}
