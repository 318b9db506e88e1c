import { sql, type Tx } from '../kit/sql.ts';
import type { Prompter } from './attempts.ts';

/**
 * Charges of a team on one payer that did not end well, or have not ended, since a moment. Until the transaction ends,
 * no other transaction counts the same payer: of two at once the second sees the first.
 * @param counted who caused them
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
