import { type Queryable, sql } from '../kit/sql.ts';
import type { MailRow, NewMail } from './schema.ts';

/** Mails come by the clock of the database: it is one for all nodes. */
export async function insertMail(db: Queryable, { team_id, kind, facts, recipient }: NewMail): Promise<void> {
  await db.run(sql`
    insert into mails (team_id, kind, facts, recipient)
    values (${team_id}, ${kind}, ${JSON.stringify(facts)}, ${recipient ?? null})`);
}

/**
 * The same, unless a mail of this name was written less than so long ago. Decided and written in one statement, so that
 * of any number of nodes one writes.
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
 * Milliseconds until one more invoice may be mailed to this address, when at most so many may in a while; 0 when it may now.
 * Without a lock: two at once may be one too many.
 */
export async function waitForInvoice(
  db: Queryable,
  to: { team_id: bigint; recipient: string },
  limit: { count: number; period_ms: number },
): Promise<number> {
  const row = await db.maybe<{ wait_ms: number }>(sql`
    select (extract(epoch from created_at - pirogue_now()) * 1000 + ${limit.period_ms}::float8)::float8 as wait_ms from mails
    where team_id = ${to.team_id} and lower(recipient) = lower(${to.recipient}) and kind = 'invoice'
      and created_at > pirogue_now() - ${limit.period_ms}::float8 * interval '1 ms'
    order by created_at desc offset ${limit.count - 1} limit 1`);
  return Math.max(0, row?.wait_ms ?? 0);
}

/** Takes mails that are due; a killed worker's come due again after the lease. */
export function claimDueMails(db: Queryable, lease_ms: number, limit: number): Promise<MailRow[]> {
  return db.all<MailRow>(sql`
    update mails set due_at = pirogue_now() + ${lease_ms}::float8 * interval '1 ms', tries = tries + 1
    where (team_id, id) in (select team_id, id from mails where due_at <= pirogue_now() order by due_at limit ${limit} for update skip locked)
    returning team_id, id, kind, facts, recipient, tries, created_at, (extract(epoch from pirogue_now() - created_at) * 1000)::float8 as age_ms`);
}

type MailRef = Pick<MailRow, 'team_id' | 'id'>;

/** One that was dropped while it was sent stays due: what it left behind is still to be taken away. */
export async function markSent(db: Queryable, { team_id, id }: MailRef): Promise<void> {
  await db.run(sql`
    update mails set sent_at = pirogue_now(), due_at = null, error = null
    where team_id = ${team_id} and id = ${id} and sent_at is null and kind <> 'dropped'`);
}

export async function deleteMail(db: Queryable, { team_id, id }: MailRef): Promise<void> {
  await db.run(sql`delete from mails where team_id = ${team_id} and id = ${id}`);
}

/**
 * Sets the next moment of a mail that could not be sent, unless another worker has taken it since.
 * @param retry_ms null: given up
 */
export async function markFailed(db: Queryable, mail: MailRef & Pick<MailRow, 'tries'>, error: string, retry_ms: number | null) {
  await db.run(sql`
    update mails set error = ${error}, due_at = pirogue_now() + ${retry_ms}::float8 * interval '1 ms'
    where team_id = ${mail.team_id} and id = ${mail.id} and tries = ${mail.tries} and sent_at is null
      and kind <> 'dropped'`);
}

/** Forgets mails that were done with so long ago, and turns that bind nobody any more. @returns how many mails */
export async function forgetMails(db: Queryable, age_ms: number, limit: number): Promise<number> {
  await db.run(sql`delete from mail_turns where taken_at < pirogue_now() - ${age_ms}::float8 * interval '1 ms'`);
  return db.run(sql`
    delete from mails where (team_id, id) in (
      select team_id, id from mails where due_at is null and created_at < pirogue_now() - ${age_ms}::float8 * interval '1 ms'
      order by created_at limit ${limit} for update skip locked)`);
}
