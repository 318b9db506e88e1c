import { type Fragment, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import type { MailRow, NewMail } from './schema.ts';

/** Inserts a mail. The database's clock sets its times, because all nodes share it. */
export async function insertMail(db: Queryable, { team_id, kind, facts, recipient }: NewMail): Promise<void> {
  await db.run(sql`
    insert into mails (team_id, kind, facts, recipient)
    values (${team_id}, ${kind}, ${JSON.stringify(facts)}, ${recipient ?? null})`);
}

/** SQL: inserts the mails of the CTE `mail_input` (team_id, kind, facts, recipient). Without a recipient, the owner gets it. */
export const INSERT_MAILS = fixed(`
  insert into mails (team_id, kind, facts, recipient) select team_id, kind, facts, recipient from mail_input`);

/**
 * Inserts a mail unless one with this name was inserted within the last `rest_ms` milliseconds. Check and insert are one
 * statement, so that exactly one of several nodes inserts it.
 */
export async function insertMailInTurn(db: Queryable, mail: NewMail, name: string, rest_ms: number): Promise<void> {
  const { team_id, kind, facts, recipient } = mail;
  await db.run(sql`
    with turn as (
      insert into mail_turns (team_id, name) values (${team_id}, ${name})
      on conflict (team_id, name) do update set taken_at = excluded.taken_at
        where mail_turns.taken_at <= excluded.taken_at - ${rest_ms}::float8 * interval '1 ms'
      returning 1
    )
    insert into mails (team_id, kind, facts, recipient)
    select ${team_id}::bigint, ${kind}, ${JSON.stringify(facts)}::json, ${recipient ?? null} from turn`);
}

/**
 * Returns the milliseconds until another invoice may be mailed to this address under the limit; 0 when it may be mailed now.
 * Not locked: two concurrent requests may exceed the limit by one.
 */
export async function waitForInvoice(
  db: Queryable,
  to: { team_id: bigint; recipient: string },
  limit: { count: number; period_ms: number },
): Promise<number> {
  const row = await db.maybe<{ wait_ms: number }>(sql`
    select (extract(epoch from created_at - pirogue_now()) * 1000 + ${limit.period_ms}::float8)::float8 as wait_ms from mails
    where team_id = ${to.team_id} and recipient_folded = lower(${to.recipient}) and kind = 'invoice'
      and created_at > pirogue_now() - ${limit.period_ms}::float8 * interval '1 ms'
    order by created_at desc offset ${limit.count - 1} limit 1`);
  return Math.max(0, row?.wait_ms ?? 0);
}

/** Claims due mails. Those of a killed worker become due again after the lease. */
export function claimDueMails(db: Queryable, lease_ms: number, limit: number): Promise<MailRow[]> {
  return db.all<MailRow>(sql`
    update mails set due_at = pirogue_now() + ${lease_ms}::float8 * interval '1 ms', tries = tries + 1
    where (team_id, id) in (select team_id, id from mails where due_at <= pirogue_now() order by due_at limit ${limit} for update skip locked)
    returning team_id, id, kind, facts, recipient, tries, created_at, (extract(epoch from pirogue_now() - created_at) * 1000)::float8 as age_ms`);
}

type MailRef = Pick<MailRow, 'team_id' | 'id'>;

/**
 * Marks a mail as sent.
 * @returns whether it was marked. A mail that was dropped while it was sent stays due, because its local copy still has to be deleted
 */
export async function markSent(db: Queryable, { team_id, id }: MailRef): Promise<boolean> {
  const marked = await db.run(sql`
    update mails set sent_at = pirogue_now(), due_at = null, error = null
    where team_id = ${team_id} and id = ${id} and sent_at is null and kind <> 'dropped'`);
  return marked > 0;
}

/** Ends the lease of a mail that was dropped while it was sent, so that its local copy is deleted in the next round. */
export async function endDroppedLease(db: Queryable, { team_id, id, tries }: MailRef & Pick<MailRow, 'tries'>): Promise<void> {
  await db.run(sql`
    update mails set due_at = pirogue_now() where team_id = ${team_id} and id = ${id} and tries = ${tries} and kind = 'dropped'`);
}

/** Deletes a mail. */
export async function deleteMail(db: Queryable, { team_id, id }: MailRef): Promise<void> {
  await db.run(sql`delete from mails where team_id = ${team_id} and id = ${id}`);
}

/**
 * Reschedules a failed mail, unless another worker has claimed it since, or it was dropped.
 * @param retry_ms milliseconds until the next attempt; null: given up
 * @returns whether it was rescheduled
 */
export async function markFailed(
  db: Queryable,
  mail: MailRef & Pick<MailRow, 'tries'>,
  error: string,
  retry_ms: number | null,
): Promise<boolean> {
  const marked = await db.run(sql`
    update mails set error = ${error}, due_at = pirogue_now() + ${retry_ms}::float8 * interval '1 ms'
    where team_id = ${mail.team_id} and id = ${mail.id} and tries = ${mail.tries} and sent_at is null
      and kind <> 'dropped'`);
  return marked > 0;
}

/**
 * Deletes the oldest entries of `mail_turns` of this age.
 * @returns number of entries
 */
export function deleteOldTurns(db: Queryable, age_ms: number, limit: number): Promise<number> {
  return db.run(sql`
    delete from mail_turns where (team_id, name) in (
      select team_id, name from mail_turns where taken_at < pirogue_now() - ${age_ms}::float8 * interval '1 ms'
      order by taken_at limit ${limit} for update skip locked)`);
}

/**
 * Deletes mails to these addresses, sent or not. A mail with a delivery attempt may have a local copy, or be in progress. It is
 * emptied, and the mail worker deletes it when its lease has expired.
 */
export async function dropMails(tx: Tx, team_id: bigint, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  // Folded by the database, as the column is. What the program folds otherwise is searched for as well.
  const spellings = [...new Set(addresses.flatMap((address) => [address, address.toLowerCase()]))];
  await drop(tx, part`team_id = ${team_id} and recipient_folded = any (array(select lower(unnest(${spellings}::text[]))))`);
}

/** Deletes the receipts of payments, to any address. */
export async function dropReceipts(tx: Tx, team_id: bigint, payments: readonly string[]): Promise<void> {
  if (payments.length === 0) return;
  await drop(tx, part`team_id = ${team_id} and payment_id = any(${[...payments]})`);
}

/** @param theirs a condition on columns of an index; the database empties them when it empties the mail */
async function drop(tx: Tx, theirs: Fragment): Promise<void> {
  await tx.run(sql`delete from mails where ${theirs} and tries = 0`);
  await tx.run(sql`
    update mails set kind = 'dropped', facts = '{}', recipient = null, sent_at = null, due_at = coalesce(due_at, pirogue_now())
    where ${theirs}`);
}
