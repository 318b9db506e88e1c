import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { jsonText } from '../../kit/json.ts';
import { clause, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { PAID_LATE_AT } from '../transfers/late-store.ts';
import type { Recipient } from '../transfers/schema.ts';
import type { BatchRow, LineRow, LineSum, Outcome, ShownLine } from './schema.ts';

export interface BatchRef {
  team_id: bigint;
  id: string;
}

/**
 * Stores a list with its lines.
 * @returns false when an earlier submission of the same form has stored it
 */
export async function insertBatch(tx: Tx, batch: BatchRow, lines: readonly LineRow[]): Promise<boolean> {
  const { team_id, id, user_id, created_at } = batch;
  const inserted = await tx.run(sql`
    insert into payout_batches (team_id, id, user_id, lines, created_at)
    values (${team_id}, ${id}, ${user_id}, ${lines.length}, ${created_at}) on conflict (team_id, id) do nothing`);
  if (inserted === 0) return false;
  await tx.run(sql`
    insert into payout_batch_lines (team_id, batch_id, line, file_line, status, body, amount_minor, fee_minor, currency, recipient, repeats, message)
    select ${team_id}, ${id}, line, file_line, status, body, amount_minor, fee_minor, currency, recipient, repeats, message
    from json_to_recordset(${jsonText(lines)}::json) as l(line integer, file_line integer, status text, body json, amount_minor bigint, fee_minor bigint,
      currency text, recipient text, repeats text, message text)`);
  return true;
}

/** Returns a list without its lines; undefined when the team has no such list. */
export function findBatch(db: Queryable, { team_id, id }: BatchRef): Promise<BatchRow | undefined> {
  return db.maybe<BatchRow>(sql`
    select team_id, id, user_id, lines, started_at, created_at from payout_batches where team_id = ${team_id} and id = ${id}`);
}

/** SQL: whether the transfer `t` of a line ended without money. */
const UNPAID = clause`t.status in ('failed', 'cancelled') and ${PAID_LATE_AT} is null`;

/**
 * Returns the latest lists of a team with the number of their lines that are open, and of those that were rejected or whose payout ended
 * without money. What became of an approval that a line waits for is not included.
 */
export function latestBatches(
  db: Queryable,
  team_id: bigint,
  limit: number,
): Promise<(BatchRow & { open: number; unpaid: number })[]> {
  return db.all<BatchRow & { open: number; unpaid: number }>(sql`
    select b.team_id, b.id, b.user_id, b.lines, b.started_at, b.created_at, (
      select count(*)::integer from payout_batch_lines l where l.team_id = b.team_id and l.batch_id = b.id and l.status = 'open') as open, (
      select count(*)::integer from payout_batch_lines l left join transfers t on t.team_id = l.team_id and t.id = l.result_id
      where l.team_id = b.team_id and l.batch_id = b.id and (l.status = 'failed' or ${UNPAID})) as unpaid
    from payout_batches b where b.team_id = ${team_id} order by b.created_at desc limit ${limit}`);
}

const SHOWN = fixed(`
  l.line, l.file_line, l.status, l.body, l.amount_minor, l.fee_minor, l.currency, l.repeats, l.result_id, l.message,
  coalesce(l.recipient, concat_ws(' · ', t.recipient->>'name', coalesce(t.recipient->>'account_number', t.recipient->>'phone')))
    as recipient, t.status as transfer_status
  from payout_batch_lines l left join transfers t on t.team_id = l.team_id and t.id = l.result_id`);

/** Returns lines of a list from a number on, with status and recipient of their transfers. */
export function linesFrom(db: Queryable, { team_id, id }: BatchRef, from: number, limit: number): Promise<ShownLine[]> {
  return db.all<ShownLine>(sql`
    select ${SHOWN} where l.team_id = ${team_id} and l.batch_id = ${id} and l.line >= ${from} order by l.line limit ${limit}`);
}

/** Returns the lines of the uploaded text at which these lines of a list begin. */
export async function fileLines(
  db: Queryable,
  { team_id, id }: BatchRef,
  lines: readonly number[],
): Promise<Map<number, number>> {
  const rows = await db.all<{ line: number; at: number }>(sql`
    select line, coalesce(file_line, line) as at from payout_batch_lines
    where team_id = ${team_id} and batch_id = ${id} and line = any(${[...lines]}::integer[])`);
  return new Map(rows.map(({ line, at }) => [line, at]));
}

/** Returns the lines of a list for which a second person was asked, with their approvals. */
export function askedLines(
  db: Queryable,
  { team_id, id }: BatchRef,
  limit: number,
): Promise<{ line: number; approval: string }[]> {
  return db.all<{ line: number; approval: string }>(sql`
    select line, result_id as approval from payout_batch_lines
    where team_id = ${team_id} and batch_id = ${id} and status = 'asked' and result_id is not null order by line limit ${limit}`);
}

/** Returns the approvals of all lines of these lists for which a second person was asked. */
export function askedOf(
  db: Queryable,
  team_id: bigint,
  batches: readonly string[],
): Promise<{ batch: string; approval: string }[]> {
  return db.all<{ batch: string; approval: string }>(sql`
    select batch_id as batch, result_id as approval from payout_batch_lines
    where team_id = ${team_id} and batch_id = any(${[...batches]}::text[]) and status = 'asked' and result_id is not null`);
}

/** Returns which of these lists have a line for which one of these approvals was asked. */
export async function batchesAsking(
  db: Queryable,
  team_id: bigint,
  { batches, approvals }: { batches: readonly string[]; approvals: readonly string[] },
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    select distinct batch_id as id from payout_batch_lines
    where team_id = ${team_id} and batch_id = any(${[...batches]}::text[]) and status = 'asked' and result_id = any(${[...approvals]}::text[])`);
  return rows.map(({ id }) => id);
}

/**
 * Returns the first lines of a list that a person should look at: wrong, failed, repeating a payout, or with a payout that ended without
 * money.
 * @param others numbers of further lines to return
 */
export function troubledLines(
  db: Queryable,
  { team_id, id }: BatchRef,
  others: readonly number[],
  limit: number,
): Promise<ShownLine[]> {
  return db.all<ShownLine>(sql`
    select ${SHOWN} where l.team_id = ${team_id} and l.batch_id = ${id}
      and (l.status in ('wrong', 'failed') or l.status = 'open' and l.repeats is not null or ${UNPAID} or l.line = any(${[...others]}::integer[]))
    order by l.line limit ${limit}`);
}

/** Returns the first lines of a list that are to be paid out, or were rejected. */
export function linesThat(
  db: Queryable,
  { team_id, id }: BatchRef,
  status: 'open' | 'failed',
  limit: number,
): Promise<LineRow[]> {
  return db.all<LineRow>(sql`
    select line, file_line, status, body, amount_minor, fee_minor, currency, recipient, repeats, result_id, message
    from payout_batch_lines where team_id = ${team_id} and batch_id = ${id} and status = ${status} order by line limit ${limit}`);
}

/** Returns the sums of a list by status and currency. */
export function sumsOf(db: Queryable, { team_id, id }: BatchRef): Promise<LineSum[]> {
  return db.all<LineSum>(sql`
    select l.status, l.currency, count(*)::integer as lines, count(l.repeats)::integer as repeated,
      (count(*) filter (where ${UNPAID}))::integer as unpaid,
      coalesce(sum(l.amount_minor), 0)::bigint as amount_minor, coalesce(sum(l.fee_minor), 0)::bigint as fee_minor
    from payout_batch_lines l left join transfers t on t.team_id = l.team_id and t.id = l.result_id
    where l.team_id = ${team_id} and l.batch_id = ${id} group by l.status, l.currency order by l.currency, l.status`);
}

/** Lets one list of a team be confirmed at a time, until the transaction ends. */
export async function lockLists(tx: Tx, team_id: bigint): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('payout_batches ' || ${team_id}::text, 0))`);
}

/** A line that is not paid yet. `approval`: id of the approval requested from a second person; null when none was requested. */
export type WaitingLine = Pick<LineRow, 'recipient' | 'amount_minor' | 'currency'> & { approval: string | null };

/**
 * Returns lines of other lists that are confirmed: those that are still to be paid out, and those for which a second person was asked.
 * @param asked_since earliest time at which an approval was requested, in milliseconds since the epoch. It is not the time of the list,
 * whose lines may have been processed long after it was confirmed
 */
export function waitingElsewhere(
  db: Queryable,
  environment: Environment,
  { team_id, id }: BatchRef,
  asked_since: number,
  limit: number,
): Promise<WaitingLine[]> {
  return db.all<WaitingLine>(sql`
    select l.recipient, l.amount_minor, l.currency, case l.status when 'asked' then l.result_id end as approval
    from payout_batches b join payout_batch_lines l on l.team_id = b.team_id and l.batch_id = b.id
    where b.team_id = ${team_id} and b.id <> ${id} and b.started_at is not null
      -- Written as in the index: the planner does not derive it from the next line.
      and l.status in ('open', 'asked')
      and (l.status = 'open' or l.status = 'asked' and l.result_id >= ${lowestIdAt('apv', environment, asked_since)})
    order by b.created_at desc, l.line limit ${limit}`);
}

/** Records that lines repeat a payout of the last day, or one that is under way. */
export async function markRepeats(db: Queryable, { team_id, id }: BatchRef, lines: readonly number[]): Promise<void> {
  if (lines.length === 0) return;
  await db.run(sql`
    update payout_batch_lines set repeats = 'recent'
    where team_id = ${team_id} and batch_id = ${id} and line = any(${[...lines]}::integer[]) and repeats is null`);
}

/** Records that a person confirmed the list. */
export async function startBatch(db: Queryable, { team_id, id }: BatchRef, at: Date): Promise<void> {
  await db.run(sql`
    update payout_batches set started_at = ${at} where team_id = ${team_id} and id = ${id} and started_at is null`);
}

/**
 * Records the outcomes of lines in one statement. A line that is done or waits for a second person keeps its outcome, whatever another
 * process reports. Data that the transfer or the approval stores is removed from the line.
 */
export async function recordOutcomes(db: Queryable, { team_id, id }: BatchRef, outcomes: readonly Outcome[]): Promise<void> {
  await db.run(sql`
    update payout_batch_lines l set status = o.status, result_id = o.result_id, message = o.message,
      body = case o.status when 'failed' then l.body end, recipient = case when o.status <> 'done' then l.recipient end
    from json_to_recordset(${jsonText(outcomes)}::json) as o(line integer, status text, result_id text, message text)
    where l.team_id = ${team_id} and l.batch_id = ${id} and l.line = o.line
      and (l.status = 'open' or l.status = 'failed' and o.status <> 'failed')`);
}

/** Opens the lines that failed, for another try with the same keys. */
export async function reopenFailed(db: Queryable, { team_id, id }: BatchRef): Promise<void> {
  await db.run(sql`
    update payout_batch_lines set status = 'open', message = null
    where team_id = ${team_id} and batch_id = ${id} and status = 'failed'`);
}

/** Recipient, amount and currency of a payout. */
export interface Paid {
  recipient: Recipient;
  amount_minor: bigint;
  currency: string;
}

/**
 * Returns the payouts of a team since a moment, and earlier ones that are still under way, without those that ended without money. A
 * payout that was paid late is returned, also when only a statement shows it.
 * @param limit maximum number of payouts that are read of each, the newest first
 */
export function paidSince(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  since: number,
  limit: number,
): Promise<Paid[]> {
  return db.all<Paid>(sql`
    select recipient, amount_minor, currency from (
      select team_id, id, recipient, amount_minor, currency, status, paid_late_at from transfers
      where team_id = ${team_id} and id >= ${lowestIdAt('po', environment, since)} order by id desc limit ${limit}) t
    where status in ('processing', 'succeeded') or ${PAID_LATE_AT} is not null
    union all
    (select recipient, amount_minor, currency from transfers
      where team_id = ${team_id} and status = 'processing' and id < ${lowestIdAt('po', environment, since)} order by id desc limit ${limit})`);
}

/**
 * Deletes the oldest lists with their lines.
 * @returns number of deleted lists
 */
export function forgetBatches(db: Queryable, before: Date, limit: number): Promise<number> {
  return db.run(sql`
    with old as (
      select team_id, id from payout_batches where created_at < ${before} order by created_at limit ${limit} for update skip locked
    ),
    gone as (delete from payout_batch_lines l using old where l.team_id = old.team_id and l.batch_id = old.id)
    delete from payout_batches b using old where b.team_id = old.team_id and b.id = old.id`);
}
