import { sql, type Tx } from '../../kit/sql.ts';
import type { Prompter } from '../attempts/schema.ts';

/**
 * Counts a team's charges of one payer since a moment that failed or have not ended. Until the transaction ends, no other
 * transaction counts the same payer: of two concurrent ones the second sees the first.
 * @param counted kinds of callers whose prompts are counted
 */
export async function countUnpaidPrompts(
  tx: Tx,
  team_id: bigint,
  payer: string,
  counted: readonly Prompter[],
  since: Date,
): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${payer}, ${team_id}))`);
  const row = await tx.maybe<{ count: number }>(sql`
    select count(*)::int as count from attempts
    where team_id = ${team_id} and payer = ${payer} and created_at > ${since} and status not in ('succeeded', 'unavailable')
      and prompted_by = any(${[...counted]})`);
  return row?.count ?? 0;
}
