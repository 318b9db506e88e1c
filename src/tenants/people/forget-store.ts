import { type Queryable, sql } from '../../kit/sql.ts';

/** How long the rows of each table are kept, in milliseconds. */
export interface Kept {
  sessions: number;
  links: number;
  mails: number;
  attempts: number;
}

/**
 * Deletes rows that are past their retention, a limited number of each table.
 * @returns number of rows
 */
export async function forgetPeople(db: Queryable, kept: Kept, limit: number): Promise<number> {
  const counts = [
    await db.run(sql`
      delete from console_sessions where id in (select id from console_sessions
        where ends_at < pirogue_now() - ${kept.sessions}::float8 * interval '1 ms' order by ends_at limit ${limit})`),
    await db.run(sql`
      delete from user_links where id in (select id from user_links
        where expires_at < pirogue_now() - ${kept.links}::float8 * interval '1 ms' order by expires_at limit ${limit})`),
    await db.run(sql`
      delete from user_mails where id in (select id from user_mails
        where created_at < pirogue_now() - ${kept.mails}::float8 * interval '1 ms' order by created_at limit ${limit})`),
    await db.run(sql`
      delete from sign_in_failures where name in (select name from sign_in_failures
        where since < pirogue_now() - ${kept.attempts}::float8 * interval '1 ms' order by since limit ${limit} for update skip locked)`),
    await db.run(sql`
      delete from used_challenges where hash in (select hash from used_challenges
        where used_at < pirogue_now() - ${kept.attempts}::float8 * interval '1 ms' order by used_at limit ${limit})`),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}
