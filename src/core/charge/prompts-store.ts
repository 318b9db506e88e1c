import { jsonText } from '../../kit/json.ts';
import { sql, type Tx } from '../../kit/sql.ts';
import type { Prompter } from '../attempts/schema.ts';

/** A payer whose prompts are counted. */
export interface PromptedPayer {
  team_id: bigint;
  payer: string;
  /** Kinds of callers whose prompts count. */
  kinds: readonly Prompter[];
  /** Only later prompts count. */
  since: Date;
}

/**
 * Counts the prompts of each payer that were not paid and may have reached a phone, in the order given. Until the end of the transaction
 * no other transaction counts these payers, so the second of two concurrent transactions sees the attempts of the first.
 * @param payers distinct, by team and number, because they are locked in this order
 */
export async function countUnpaidPrompts(tx: Tx, payers: readonly PromptedPayer[]): Promise<number[]> {
  if (payers.length === 0) return [];
  const team_ids = payers.map(({ team_id }) => team_id);
  const numbers = payers.map(({ payer }) => payer);
  // A statement of its own: in one, the count would not see what another transaction stored before it released the lock.
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(payer, team_id)) from unnest(${team_ids}::bigint[], ${numbers}::text[]) as p(team_id, payer)`);
  const rows = await tx.all<{ count: number }>(sql`
    select (
      select count(*)::int from attempts a
      where a.team_id = p.team_id and a.payer = p.payer and a.created_at > p.since and a.status not in ('succeeded', 'unavailable')
        and a.prompted_by = any(p.kinds)) as count
    from rows from (json_to_recordset(${jsonText(payers)}::json) as (team_id bigint, payer text, kinds text[], since timestamptz))
      with ordinality as p(team_id, payer, kinds, since, position)
    order by position`);
  return rows.map(({ count }) => count);
}
