import type { Environment } from '../../kit/environment.ts';
import { jsonText } from '../../kit/json.ts';
import type { Minor } from '../../kit/money.ts';
import { type Conditions, conditionsOf, equalTo, withinDays } from '../../kit/list-filters.ts';
import { ALL_IDS, rowsOf, rowsOfPage, rowsToCount } from '../../kit/pages.ts';
import type { Position } from '../../kit/paging.ts';
import { type Fragment, fixed, BY_KEY, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { isSetAsideByStatement } from '../../money/ledger/suspense.ts';
import { readDraws } from '../../money/settlement/draw.ts';
import { notAt } from '../../platform/work/account-key.ts';
import { BY_SHARD, dueBefore, EVERY_TURN, IN_SHARD, shardsOf, type Turn } from '../../platform/work/shards.ts';
import type { RefundRow } from './schema.ts';

const columns =
  fixed(`team_id, id, payment_id, kind, attempt_id, return_id, way, legs, amount_minor, currency, status, reason, failure_reason, message,
  metadata, draws, resolution, event_count, polls, next_poll_at, created_at, updated_at, submitted_at, completed_at`);

/** Converts a row: amounts inside JSON columns are text. */
function read(row: RefundRow): RefundRow {
  const legs = row.legs.map((one) => ({ ...one, amount_minor: BigInt(one.amount_minor), sent_at: one.sent_at ?? null }));
  return { ...row, legs, draws: readDraws(row.draws) };
}

/** Inserts a refund. */
export async function insertRefund(
  tx: Tx,
  row: RefundRow,
  by: { key_id: string | null; request_id: string | null },
): Promise<void> {
  await tx.run(sql`
    insert into refunds (team_id, id, payment_id, kind, attempt_id, return_id, way, legs, amount_minor, currency, status, reason, message, metadata, draws,
      event_count, next_poll_at, key_id, request_id, created_at, updated_at)
    values (${row.team_id}, ${row.id}, ${row.payment_id}, ${row.kind}, ${row.attempt_id}, ${row.return_id}, ${row.way}, ${jsonText(row.legs)}, ${row.amount_minor},
      ${row.currency}, ${row.status}, ${row.reason}, ${row.message}, ${row.metadata && JSON.stringify(row.metadata)}, ${row.draws && jsonText(row.draws)},
      ${row.event_count}, ${row.next_poll_at}, ${by.key_id}, ${by.request_id}, ${row.created_at}, ${row.updated_at})`);
}

/** Returns a refund; undefined when the team has no such refund. */
export async function findRefund(db: Queryable, team_id: bigint, id: string): Promise<RefundRow | undefined> {
  const row = await db.maybe<RefundRow>(sql`select ${columns} from refunds where team_id = ${team_id} and id = ${id}`);
  return row && read(row);
}

/** Returns the statuses and kinds of refunds. */
export function findStatuses(
  db: Queryable,
  team_id: bigint,
  ids: readonly string[],
): Promise<Pick<RefundRow, 'id' | 'status' | 'kind'>[]> {
  return db.all(sql`select id, status, kind from refunds where team_id = ${team_id} and id = any(${[...ids]}::text[])`);
}

/** SQL: the failed refunds and payouts of one return that a provider had received. */
function failedOf(team_id: bigint, attempt_id: string, return_id: string): Fragment {
  return part`select ${columns} from refunds
    where team_id = ${team_id} and attempt_id = ${attempt_id} and kind = 'giveback' and return_id = ${return_id} and status = 'failed'
      and way <> 'manual' and legs->0->>'status' = 'failed' order by id`;
}

/** Returns the failed refunds and payouts of one return that a provider had received. */
export async function findFailed(db: Queryable, team_id: bigint, attempt_id: string, return_id: string): Promise<RefundRow[]> {
  return (await db.all<RefundRow>(sql`${failedOf(team_id, attempt_id, return_id)}`)).map(read);
}

/** Returns the same, locked until the transaction ends. The caller has locked the payment. */
export async function lockFailed(tx: Tx, team_id: bigint, attempt_id: string, return_id: string): Promise<RefundRow[]> {
  return (await tx.all<RefundRow>(sql`${failedOf(team_id, attempt_id, return_id)} for update`)).map(read);
}

/** SQL: whether a payout of the row `o` of `returns` failed at its provider. */
const PAYOUT_FAILED = fixed(`exists (
  select from refunds r where r.team_id = o.team_id and r.attempt_id = o.attempt_id and r.kind = 'giveback' and r.return_id = o.id
    and r.way = 'payout' and r.status = 'failed' and r.legs->0->>'status' = 'failed')`);

/** SQL: the provider account that turned the payout under way of the row `o` of `returns` away last; null: none did. */
const PAYOUT_TURNED_AWAY_BY = fixed(`(
  select r.legs->0->>'provider_account' from refunds r
  where r.team_id = o.team_id and r.id = o.payout_id and r.legs->0->>'status' = 'waiting')`);

/** SQL: the facts about the row `o` of `returns` that a callback about its payout needs. */
export const PAYOUT = { failed: PAYOUT_FAILED, turned_away_by: PAYOUT_TURNED_AWAY_BY };

/** SQL: the refunds that failed at their provider, with the return that each belongs to. */
export const FAILED_REFUNDS = fixed(
  `select team_id, id, return_id from refunds where status = 'failed' and way = 'refund' and legs->0->>'status' = 'failed'`,
);

/** Returns a refund, locked until the transaction ends. A caller that also locks the payment locks the payment first. */
export async function lockRefund(tx: Tx, team_id: bigint, id: string): Promise<RefundRow | undefined> {
  const row = await tx.maybe<RefundRow>(sql`select ${columns} from refunds where team_id = ${team_id} and id = ${id} for update`);
  return row && read(row);
}

/** Locks and returns the merchant's open refunds of a payment without a part at a provider. The caller has locked the payment. */
export async function lockUncovered(tx: Tx, team_id: bigint, payment_id: string): Promise<RefundRow[]> {
  const rows = await tx.all<RefundRow>(sql`
    select ${columns} from refunds
    where team_id = ${team_id} and payment_id = ${payment_id} and kind = 'merchant' and status in ('pending', 'processing')
      and not legs::jsonb @> '[{"status":"sent"}]' and not legs::jsonb @> '[{"status":"failed"}]' order by id for update`);
  return rows.map(read);
}

/** Returns, by attempt, the amount that earlier refund parts have taken from it or may still take, in hundredths. */
export async function takenByAttempt(tx: Tx, team_id: bigint, payment_id: string): Promise<Map<string, bigint>> {
  const rows = await tx.all<{ attempt_id: string; taken: bigint }>(sql`
    select leg->>'attempt_id' as attempt_id, sum((leg->>'amount_minor')::bigint)::bigint as taken
    from refunds, json_array_elements(legs) leg
    where team_id = ${team_id} and payment_id = ${payment_id} and leg->>'status' <> 'failed'
      and (status <> 'failed' or leg->>'status' in ('sent', 'succeeded'))
    group by 1`);
  return new Map(rows.map((row) => [row.attempt_id, row.taken]));
}

/**
 * Returns the amount that refunds under way may still take from the payment, in addition to the amount the payment already
 * counts as refunded. It may change at once unless the caller has locked the payment's row.
 */
export async function refundsUnderWay(db: Queryable, team_id: bigint, payment_id: string): Promise<Minor> {
  const rows = await db.all<{ claimed: bigint }>(sql`
    select coalesce(sum((part->>'amount_minor')::bigint), 0)::bigint as claimed from refunds, json_array_elements(legs) part
    where team_id = ${team_id} and payment_id = ${payment_id} and kind = 'merchant'
      and (part->>'status' = 'sent' or (part->>'status' <> 'succeeded' and status in ('pending', 'processing')))`);
  return rows[0]?.claimed ?? 0n;
}

/** Writes a refund. Its polls are counted only after it is covered. */
export async function updateRefund(tx: Tx, row: RefundRow): Promise<void> {
  await tx.run(sql`
    update refunds set legs = ${jsonText(row.legs)}, way = ${row.way}, status = ${row.status}, failure_reason = ${row.failure_reason},
      message = ${row.message}, draws = ${row.draws && jsonText(row.draws)}, event_count = ${row.event_count},
      polls = case when draws is null then 0 else polls end, next_poll_at = ${row.next_poll_at}, updated_at = ${row.updated_at},
      submitted_at = ${row.submitted_at}, completed_at = ${row.completed_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

export interface DueRefund {
  refund: RefundRow;
  /** The provider account that captured the payment. */
  provider_account: string | null;
}

const firstAccount = fixed(`(
  select provider_account from attempts
  where attempts.team_id = refunds.team_id and attempts.id = refunds.legs -> 0 ->> 'attempt_id')`);

/**
 * Claims refunds whose next step is due; those of a killed worker become due again after the lease. A claim of a failed refund does not
 * count as a poll: {@link writeRecheck} counts its polls.
 * @param lease_ms milliseconds
 */
export async function claimDueRefunds(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
  turn: Turn = EVERY_TURN,
): Promise<DueRefund[]> {
  const rows = await db.all<RefundRow & Pick<DueRefund, 'provider_account'>>(sql`
    update refunds set next_poll_at = ${new Date(now.getTime() + lease_ms)}, polls = polls + case when ${MAY_BE_DONE_LATE} then 0 else 1 end
    where (team_id, id) in (
      select k.team_id, k.id from ${shardsOf(turn)} cross join lateral (
        select team_id, id from refunds where ${IN_SHARD} and next_poll_at <= ${dueBefore(now, turn)} and way = 'refund' ${notAt(firstAccount, skip)}
        order by ${BY_SHARD}, next_poll_at limit ${limit} for update skip locked) k
      limit ${limit}
    ) returning ${columns}, ${firstAccount} as provider_account${BY_KEY}`);
  return rows.map(({ provider_account, ...refund }) => ({ refund: read(refund), provider_account }));
}

/**
 * SQL: a merchant's refund that ended with a part that its provider reported as failed: the part may have been done all the same. Failed
 * refunds of a return are checked with it.
 */
const MAY_BE_DONE_LATE = fixed(`status = 'failed' and return_id is null and legs::jsonb @> '[{"status":"failed"}]'
  and not legs::jsonb @> '[{"status":"sent"}]'`);

/** Makes a refund due for polling now, after a callback from its provider: one that is under way, or a merchant's that has failed. */
export async function pollNow(db: Queryable, team_id: bigint, id: string, now: Date): Promise<void> {
  await db.run(sql`
    update refunds set next_poll_at = ${now}, polls = case status when 'failed' then 0 else polls end
    where team_id = ${team_id} and id = ${id} and way = 'refund' and (status = 'processing' or ${MAY_BE_DONE_LATE})`);
}

/** Schedules the next poll of a failed refund, and counts this one by default, unless it was made due or claimed again since its claim. */
export async function writeRecheck(db: Queryable, row: RefundRow, at: Date | null, polls = row.polls + 1): Promise<void> {
  const { team_id, id, next_poll_at } = row;
  await db.run(sql`
    update refunds set next_poll_at = ${at}, polls = ${polls}
    where team_id = ${team_id} and id = ${id} and status = 'failed' and polls = ${row.polls} and next_poll_at = ${next_poll_at}`);
}

/** A refund, or payout of a return, that a callback is about. */
export type ReportedRefund = Pick<RefundRow, 'id' | 'way' | 'return_id'>;

/** Returns the id of the payment of a refund, or payout of a return, that has or had one of our keys. */
export async function paymentOfKey(db: Queryable, team_id: bigint, provider_key: string): Promise<string | undefined> {
  const row = await db.maybe<{ payment_id: string }>(sql`
    select r.payment_id from refund_keys k join refunds r on r.team_id = k.team_id and r.id = k.refund_id
    where k.team_id = ${team_id} and k.provider_key = ${provider_key} limit 1`);
  return row?.payment_id;
}

/**
 * Returns the refund, or payout of a return, that a provider account has under one of our keys; undefined for a key that was replaced
 * since. `refund_keys` is written by a trigger.
 */
export function findByKey(
  db: Queryable,
  team_id: bigint,
  account_id: string,
  provider_key: string,
): Promise<ReportedRefund | undefined> {
  return db.maybe<ReportedRefund>(sql`
    select r.id, r.way, r.return_id
    from refund_keys k join refunds r on r.team_id = k.team_id and r.id = k.refund_id
    cross join lateral json_to_recordset(r.legs) part (attempt_id text, provider_key text, provider_account text)
    where k.team_id = ${team_id} and k.provider_key = ${provider_key} and part.provider_key = k.provider_key
      and coalesce(part.provider_account,
        (select a.provider_account from attempts a where a.team_id = r.team_id and a.id = part.attempt_id)) = ${account_id}`);
}

/** Whether reconciliation has put the part's money in suspense, because a statement reported it as paid after its end. */
export function isSetAside(db: Queryable, { team_id, id }: { team_id: bigint; id: string }, index: number): Promise<boolean> {
  return isSetAsideByStatement(db, team_id, `${id}:${index}`);
}

/**
 * Returns the sum of the captures that automatic reversals returned to the payer, each counted once, without those that
 * `captured_minor` does not contain. It does not contain late captures from before the end of the payment. In the journals,
 * these are the first late captures; their sum is the sum of all captures minus `captured_minor`.
 */
export async function sumReturned(tx: Tx, payment: { team_id: bigint; id: string; captured_minor: bigint }): Promise<Minor> {
  const row = await tx.maybe<{ sum_minor: bigint }>(sql`
    with captures as (
      select j.source_id as attempt_id, p.amount_minor, sum(p.amount_minor) over () as captured_minor,
        sum(p.amount_minor) over (order by j.kind <> 'payment.late_success', j.id) as so_far_minor
      from journals j join postings p on p.team_id = j.team_id and p.journal_id = j.id and p.debit = 'clearing'
      where j.team_id = ${payment.team_id} and j.subject_id = ${payment.id}
        and j.kind in ('payment.part_captured', 'payment.late_success', 'payment.succeeded')
    )
    select coalesce(sum(c.amount_minor), 0)::bigint as sum_minor from captures c
    where c.so_far_minor > c.captured_minor - ${payment.captured_minor} and exists (
      select from refunds r join journals j on j.team_id = r.team_id and j.source_id = r.id and j.kind like 'refund.leg:%'
      where r.team_id = ${payment.team_id} and r.attempt_id = c.attempt_id and r.kind = 'giveback')`);
  return row?.sum_minor ?? 0n;
}

/** Stores the manual resolution of a refund. */
export async function writeResolution(tx: Tx, ref: { team_id: bigint; id: string }, resolution: object): Promise<void> {
  await tx.run(sql`
    update refunds set resolution = ${JSON.stringify(resolution)} where team_id = ${ref.team_id} and id = ${ref.id}`);
}

export interface RefundFilters {
  payment?: string | undefined;
  status?: string | undefined;
  date_from?: string | undefined;
  date_to?: string | undefined;
}

function filtersOf(environment: Environment, query: RefundFilters): Fragment[] {
  const conditions: Conditions<RefundFilters> = {
    payment: equalTo('payment_id'),
    status: equalTo('status'),
    ...withinDays('rfd', environment),
  };
  return conditionsOf(query, conditions);
}

/** Returns one page of refunds, in reading order. */
export async function listRefunds(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: RefundFilters,
  position: Position,
): Promise<RefundRow[]> {
  const listed = rowsOf(team_id, filtersOf(environment, query));
  const rows = await db.all<RefundRow>(sql`select ${columns} from refunds where ${rowsOfPage(listed, position)}`);
  return rows.map(read);
}

/** Counts the refunds that match the filters. */
export async function countRefunds(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  query: RefundFilters,
  ids = ALL_IDS,
): Promise<number> {
  const counted = rowsToCount(rowsOf(team_id, filtersOf(environment, query)), ids);
  const rows = await db.all<{ total: bigint }>(sql`
    select count(*) as total from (select id from refunds where ${counted}) counted`);
  return Number(rows[0]?.total ?? 0n);
}
