import { type Queryable, sql } from '../../kit/sql.ts';

/** Returns the names of the given users who are members of the team, by their ids. */
export async function namesOfMembers(
  db: Queryable,
  team_id: bigint,
  user_ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all<{ id: string; name: string }>(sql`
    select u.id, u.name from memberships m join users u on u.id = m.user_id
    where m.team_id = ${team_id} and m.user_id = any(${user_ids}::text[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
