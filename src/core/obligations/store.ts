import { jsonText } from '../../kit/json.ts';
import { type Fragment, fixed, part, BY_KEY, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { notAt } from '../../platform/work/account-key.ts';
import { BY_SHARD, dueBefore, EVERY_TURN, IN_SHARD, shardsOf, type Turn } from '../../platform/work/shards.ts';
import type { Obligation, OpenReturns, ReturnRef, ReturnRow } from './schema.ts';

const columns =
  fixed(`team_id, id, payment_id, attempt_id, arrival, amount_minor, currency, state, refund_id, payout_id, manual_id, account_id, tried, resent,
  dispatched_at, spent, late_refund, times_paid, recheck, polls, note, next_step_at, waiting_since, announced_at, resolved_as, resolutions,
  created_at, updated_at, closed_at`);

/** Inserts returns. An obligation that already exists stays unchanged. */
export async function insertReturns(tx: Tx, rows: readonly (Obligation & { id: string })[], now: Date): Promise<void> {
  await tx.run(sql`
    insert into returns (team_id, id, payment_id, attempt_id, arrival, amount_minor, currency, state, next_step_at, created_at, updated_at)
    select team_id, id, payment_id, attempt_id, coalesce(arrival, ''), amount_minor, currency, 'owed', ${now}, ${now}, ${now}
    from json_to_recordset(${jsonText(rows)}::json) as o(team_id bigint, id text, payment_id text, attempt_id text, arrival text,
      amount_minor bigint, currency text)
    on conflict (team_id, attempt_id, arrival) do nothing`);
}

/**
 * Creates returns from automatic reversals that the previous version marked or started (migration 0055).
 * @returns number of created returns
 */
export async function adoptAutomaticReturns(db: Queryable, now: Date, limit: number): Promise<number> {
  const row = await db.maybe<{ adopted: number }>(sql`select pirogue_adopt_givebacks(${now}, ${limit}) as adopted${BY_KEY}`);
  return row?.adopted ?? 0;
}

/** Returns a return; undefined when the team has no such return. */
export function findReturn(db: Queryable, { team_id, id }: ReturnRef): Promise<ReturnRow | undefined> {
  return db.maybe<ReturnRow>(sql`select ${columns} from returns where team_id = ${team_id} and id = ${id}`);
}

/** Returns a return, locked until the transaction ends. The caller has locked the payment before. */
export function lockReturn(tx: Tx, { team_id, id }: ReturnRef): Promise<ReturnRow | undefined> {
  return tx.maybe<ReturnRow>(sql`select ${columns} from returns where team_id = ${team_id} and id = ${id} for update`);
}

/** Writes every column of a return that can change. The caller has locked it. */
export async function updateReturn(tx: Tx, row: ReturnRow): Promise<void> {
  await tx.run(sql`
    update returns set state = ${row.state}, refund_id = ${row.refund_id}, payout_id = ${row.payout_id}, manual_id = ${row.manual_id},
      account_id = ${row.account_id}, tried = ${row.tried}, resent = ${row.resent}, dispatched_at = ${row.dispatched_at},
      spent = ${row.spent}, late_refund = ${row.late_refund}, times_paid = ${row.times_paid},
      recheck = ${row.recheck}, polls = ${row.polls}, note = ${row.note},
      next_step_at = ${row.next_step_at}, waiting_since = ${row.waiting_since}, announced_at = ${row.announced_at},
      resolved_as = ${row.resolved_as}, resolutions = ${row.resolutions}, updated_at = ${row.updated_at}, closed_at = ${row.closed_at}
    where team_id = ${row.team_id} and id = ${row.id}`);
}

export interface DueReturn extends ReturnRow {
  /** The account that receives its next call, as far as it is known: that of the payout, else that of the capture. */
  provider_account: string | null;
}

const itsAccount = fixed(`coalesce(account_id, (
  select provider_account from attempts where attempts.team_id = returns.team_id and attempts.id = returns.attempt_id))`);

/**
 * Claims returns whose next step is due; those of a killed worker become due again after the lease.
 * @param lease_ms milliseconds
 */
export function claimDueReturns(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
  turn: Turn = EVERY_TURN,
): Promise<DueReturn[]> {
  return db.all<DueReturn>(sql`
    update returns set next_step_at = ${new Date(now.getTime() + lease_ms)}, polls = polls + 1
    where (team_id, id) in (
      select k.team_id, k.id from ${shardsOf(turn)} cross join lateral (
        select team_id, id from returns where ${IN_SHARD} and next_step_at <= ${dueBefore(now, turn)} ${notAt(itsAccount, skip)}
        order by ${BY_SHARD}, next_step_at limit ${limit} for update skip locked) k
      limit ${limit}
    ) returning ${columns}, ${itsAccount} as provider_account${BY_KEY}`);
}

/**
 * Makes a return due now, after a callback about the payout under way or about one that had failed. A payout that its provider has turned
 * away counts as sent again, so that it is polled before it is sent to another account.
 * @param account_id the account that called back: only a payout that it was the last to turn away counts as sent; null: no account
 * @param payout SQL about the row `o` of `returns`: whether one of its payouts failed, and which account turned away the one under way
 */
export async function pollNow(
  db: Queryable,
  { team_id, id }: ReturnRef,
  now: Date,
  account_id: string | null,
  payout: { failed: Fragment; turned_away_by: Fragment },
): Promise<void> {
  await db.run(sql`
    with failed as (select o.id, ${payout.failed} as some, ${payout.turned_away_by} as turned_away_by from returns o
      where o.team_id = ${team_id} and o.id = ${id})
    update returns o set next_step_at = ${now}, recheck = recheck or f.some,
      dispatched_at = case when o.state = 'paying_out' and f.turned_away_by = ${account_id}::text then coalesce(o.dispatched_at, ${now})
        else o.dispatched_at end,
      updated_at = case when f.some then ${now} else updated_at end
    from failed f where o.team_id = ${team_id} and o.id = f.id and (o.state = 'paying_out' or f.some)`);
}

/**
 * Marks a return for another check of its failed refund, after a callback about that refund.
 * @param failed SQL: the failed refunds (team_id, id, return_id)
 */
export async function recheckRefund(
  db: Queryable,
  team_id: bigint,
  refund_id: string,
  now: Date,
  failed: Fragment,
): Promise<void> {
  await db.run(sql`
    update returns o set recheck = true, next_step_at = ${now}, updated_at = ${now}
    from (${failed}) r
    where r.team_id = ${team_id} and r.id = ${refund_id} and o.team_id = r.team_id and o.id = r.return_id and o.refund_id = r.id`);
}

/**
 * Lists returns that are not closed, oldest first.
 * @param team_id null: of all teams
 */
export function listOpen(db: Queryable, team_id: bigint | null, limit: number): Promise<ReturnRow[]> {
  const whose = team_id === null ? part`true` : part`team_id = ${team_id}`;
  return db.all<ReturnRow>(sql`
    select ${columns} from returns where closed_at is null and ${whose} order by created_at, id limit ${limit}`);
}

/** Counts open returns by state, up to a bound, with the age of the oldest in seconds. */
export function countOpen(db: Queryable, now: Date, max: number): Promise<OpenReturns[]> {
  return db.all<OpenReturns>(sql`
    select state, count(*)::integer as count,
      greatest(extract(epoch from ${now}::timestamptz - min(coalesce(waiting_since, created_at))), 0)::float8 as oldest_seconds
    from (select state, waiting_since, created_at from returns where closed_at is null order by created_at limit ${max}) o
    group by state`);
}

/** Counts the returns of a team that only a person can carry out, up to a bound. */
export async function countForPerson(db: Queryable, team_id: bigint, max: number): Promise<number> {
  const row = await db.maybe<{ count: number }>(sql`
    select count(*)::integer as count from (
      select from returns where team_id = ${team_id} and closed_at is null and state in ('waiting', 'overpaid')
      order by id limit ${max}) o`);
  return row?.count ?? 0;
}

/** The money of an open return of one team: whether it is in suspense or on its way. */
export interface SuspendedMoney {
  id: string;
  currency: string;
  amount_minor: bigint;
  /** The ledger account that contains the money; null: it was returned twice, and is missing there. */
  account: 'hold' | 'refund_clearing' | null;
}

/** Returns the money of open returns, one row each: in `hold` until a way is started, then in `refund_clearing`. */
export function openReturns(db: Queryable, team_id: bigint): Promise<SuspendedMoney[]> {
  return db.all<SuspendedMoney>(sql`
    select id, currency, amount_minor,
      case when state in ('owed', 'waiting') then 'hold' when state in ('refunding', 'paying_out') then 'refund_clearing' end as account
    from returns where team_id = ${team_id} and closed_at is null order by id`);
}
