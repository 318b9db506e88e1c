import { type Queryable, sql } from '../../kit/sql.ts';
import { RECALLED, type ReportedTransfer, type TransferSource, type TransferSubject } from './store.ts';

/**
 * Counts a transfer as sent to an account that had turned it away before another account did, after a callback from the first one. The
 * transfer is polled there before it is sent again. This does not apply once a key of the transfer was used up, because the key that the
 * account has is not known then.
 * @param subject a transfer is found by its key only if the account that was tried last derives the same key from our id, as most kinds
 * of provider do
 */
export async function returnToAccount(
  db: Queryable,
  { team_id, account_id, keyOf }: TransferSource,
  { by, value }: TransferSubject,
  now: Date,
): Promise<ReportedTransfer | undefined> {
  const id = by === 'id' ? value : await idOfKey(db, team_id, value);
  if (id === undefined) return undefined;
  return db.maybe<ReportedTransfer>(sql`
    update transfers set provider_account = ${account_id}, provider_key = ${by === 'id' ? keyOf(id) : value}, provider_ref = null,
      dispatched_at = ${now}, next_poll_at = ${now},
      decision = jsonb_set(${RECALLED}::jsonb, '{asked}', coalesce(decision::jsonb->'asked', '[]') || to_jsonb(provider_account))::json
    where team_id = ${team_id} and id = ${id} and stage = 'dispatched' and status = 'processing' and dispatched_at is null
      and (decision::jsonb->'candidates' ? ${account_id} or decision::jsonb->'asked' ? ${account_id})
      and decision::jsonb->'spent' is null
    returning id, recipient`);
}

/** Returns the id of the transfer with this key, at whatever account. It is a statement of its own, so that the key alone finds the row. */
async function idOfKey(db: Queryable, team_id: bigint, provider_key: string): Promise<string | undefined> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from transfers where team_id = ${team_id} and provider_key = ${provider_key} order by id desc limit 1`);
  return row?.id;
}
