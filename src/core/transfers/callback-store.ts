import { type Queryable, sql } from '../../kit/sql.ts';
import { RECALLED, type ReportedTransfer, type TransferSource } from './store.ts';

/**
 * Counts a transfer as sent to an account that had turned it away before another did, after a callback from it: it is read there before it is
 * sent again. Not after a key of it was used up, because the key that the account has is not known then.
 */
export function returnToAccount(
  db: Queryable,
  { team_id, account_id, keyOf }: TransferSource,
  id: string,
  now: Date,
): Promise<ReportedTransfer | undefined> {
  return db.maybe<ReportedTransfer>(sql`
    update transfers set provider_account = ${account_id}, provider_key = ${keyOf(id)}, provider_ref = null, dispatched_at = ${now},
      next_poll_at = ${now}, decision = ${RECALLED}
    where team_id = ${team_id} and id = ${id} and stage = 'dispatched' and status = 'processing' and dispatched_at is null
      and decision::jsonb->'candidates' ? ${account_id} and decision::jsonb->'spent' is null
    returning id, recipient`);
}
