import { clause, type Queryable, sql } from '../../kit/sql.ts';
import { SET_ASIDE_BY_STATEMENT, UNDECIDED_BY_STATEMENT } from '../../money/ledger/suspense.ts';

/** Another amount of an attempt that reconciliation has booked into suspense. */
export interface StatedAmount {
  /** Id of the attempt. */
  source_id: string;
  amount_minor: bigint;
  currency: string;
}

/**
 * SQL: whether a statement has shown money of an attempt of the payment `p` that waits for a decision. The journals of statements name the
 * payment. Journals about the parts of its refunds name it as well and are excluded. With `offset 0` it is asked for each payment, by the
 * index of the subjects: as a join it may read all journals of statements first.
 */
export const HAS_UNDECIDED_BY_STATEMENT = clause`exists (
  select from journals j
  where j.team_id = p.team_id and j.subject_id = p.id and left(j.source_id, 4) = 'att_' and ${UNDECIDED_BY_STATEMENT}
  offset 0)`;

/**
 * SQL: whether the payment `p` ended unpaid, and money may have arrived for it: a provider reports another amount, a statement has shown it,
 * or the provider of a charge that has ended is still asked about it, unless a person has decided that the charge failed. This is exact for archived payments too: none of the first and third
 * kind is ever archived.
 */
export const AWAITS_DECISION = clause`p.status in ('failed', 'cancelled', 'expired') and (
  exists (select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
    and (a.mismatch is not null or (a.next_poll_at is not null and a.resolution->>'as' is distinct from 'failed')))
  or ${HAS_UNDECIDED_BY_STATEMENT})`;

/** Returns the ids of the attempts for which a statement has shown money that still waits for a decision. */
export async function undecidedByStatement(
  db: Queryable,
  attempts: readonly { team_id: bigint; id: string }[],
): Promise<Set<string>> {
  if (attempts.length === 0) return new Set();
  const rows = await db.all<{ source_id: string }>(sql`
    select distinct j.source_id from journals j
    where ${UNDECIDED_BY_STATEMENT} and (j.team_id, j.source_id) in (
      select * from unnest(${attempts.map(({ team_id }) => String(team_id))}::bigint[], ${attempts.map(({ id }) => id)}::text[]))`);
  return new Set(rows.map(({ source_id }) => source_id));
}

/** Returns the amounts that statements have shown for these attempts, by the journals that booked them; without those resolved as wrong. */
export function statedAmounts(db: Queryable, attempts: { team_id: bigint; attempt_id: string }[]): Promise<StatedAmount[]> {
  return db.all<StatedAmount>(sql`
    select j.source_id, p.amount_minor, p.currency from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id
    where ${SET_ASIDE_BY_STATEMENT} and (j.team_id, j.source_id) in (
      select * from unnest(${attempts.map(({ team_id }) => String(team_id))}::bigint[],
        ${attempts.map(({ attempt_id }) => attempt_id)}::text[]))`);
}
