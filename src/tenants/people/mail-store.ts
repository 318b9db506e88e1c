import { type Queryable, sql } from '../../kit/sql.ts';
import type { NewUserMail, UserMailKind, UserMailRow } from './mails.ts';

/** Queues a mail in the transaction of the change that it reports. A worker sends it after the commit, at least once. */
export async function queueUserMail<Kind extends UserMailKind>(db: Queryable, mail: NewUserMail<Kind>): Promise<void> {
  const { kind, facts, recipient } = mail;
  await db.run(sql`
    insert into user_mails (kind, facts, recipient, created_at, due_at)
    values (${kind}, ${JSON.stringify(facts)}, ${recipient}, pirogue_now(), pirogue_now())`);
}

/** Queues several mails in one statement, as {@link queueUserMail} does. */
export async function queueUserMails<Kind extends UserMailKind>(
  db: Queryable,
  mails: readonly NewUserMail<Kind>[],
): Promise<void> {
  if (mails.length === 0) return;
  await db.run(sql`
    insert into user_mails (kind, facts, recipient, created_at, due_at)
    select kind, facts::jsonb, recipient, pirogue_now(), pirogue_now()
    from unnest(${mails.map(({ kind }) => kind)}::text[], ${mails.map(({ facts }) => JSON.stringify(facts))}::text[],
      ${mails.map(({ recipient }) => recipient)}::text[]) as mail (kind, facts, recipient)`);
}

/** Claims due mails. Those of a killed worker become due again after the lease. */
export function claimUserMails(db: Queryable, lease_ms: number, limit: number): Promise<UserMailRow[]> {
  return db.all<UserMailRow>(sql`
    update user_mails set due_at = pirogue_now() + ${lease_ms}::float8 * interval '1 ms', tries = tries + 1
    where id in (select id from user_mails where due_at <= pirogue_now() order by due_at limit ${limit} for update skip locked)
    returning id, kind, facts, recipient, tries, created_at, (extract(epoch from pirogue_now() - created_at) * 1000)::float8 as age_ms`);
}

/** Marks a mail as sent. */
export async function markUserMailSent(db: Queryable, id: bigint): Promise<void> {
  await db.run(sql`
    update user_mails set sent_at = pirogue_now(), due_at = null, error = null where id = ${id} and sent_at is null`);
}

/**
 * Reschedules a failed mail, unless another worker has claimed it since.
 * @param retry_ms milliseconds until the next attempt; null: given up
 */
export async function markUserMailFailed(
  db: Queryable,
  { id, tries }: Pick<UserMailRow, 'id' | 'tries'>,
  error: string,
  retry_ms: number | null,
): Promise<void> {
  await db.run(sql`
    update user_mails set error = ${error}, due_at = pirogue_now() + ${retry_ms}::float8 * interval '1 ms'
    where id = ${id} and tries = ${tries} and sent_at is null`);
}
