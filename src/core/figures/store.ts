import type { Environment } from '../../kit/environment.ts';
import { lowestIdAt } from '../../kit/ids.ts';
import { must } from '../../kit/errors.ts';
import { type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { MARK_SETTLED, MARK_XID } from '../../platform/db/marks.ts';
import type { CountRow, DayFigures } from './schema.ts';

/** A period of a team: `from` inclusive, `to` exclusive. Both begin a part of an hour. */
export interface Period {
  environment: Environment;
  team_id: bigint;
  from: Date;
  to: Date;
}

/**
 * Returns the teams among these that have to be counted: with events since their last count, or with an hour to finish.
 * @param counted_before a team that was counted later waits
 * @param finish_before hours that began before this are finished
 */
export async function dueTeams(
  db: Queryable,
  team_ids: readonly bigint[],
  counted_before: Date,
  finish_before: Date,
): Promise<bigint[]> {
  const rows = await db.all<{ team_id: bigint }>(sql`
    select t.team_id from unnest(${[...team_ids]}::bigint[]) as t (team_id)
    cross join lateral (
      select e.id, e.created_at from events e where e.team_id = t.team_id order by e.id desc limit 1) newest
    left join payment_counts c on c.team_id = t.team_id
    where c.team_id is null
      or (c.counted_at <= ${counted_before}
        and (newest.id > c.counted_id or c.final_to <= least(${finish_before}, newest.created_at)))`);
  return rows.map(({ team_id }) => team_id);
}

/** Returns the newest event of a team. */
export function newestEvent(db: Queryable, team_id: bigint): Promise<{ id: string } | undefined> {
  return db.maybe(sql`select id from events where team_id = ${team_id} order by id desc limit 1`);
}

/** Returns when the first event of a team from a moment on was recorded. */
export async function firstEventFrom(db: Queryable, environment: Environment, team_id: bigint, from: Date): Promise<Date | null> {
  const row = await db.maybe<{ created_at: Date }>(sql`
    select created_at from events where team_id = ${team_id} and id >= ${lowestIdAt('evt', environment, from.getTime())}
    order by id limit 1`);
  return row?.created_at ?? null;
}

/** Begins the progress of a team that was never counted. */
export async function beginCount(db: Queryable, team_id: bigint): Promise<void> {
  await db.run(sql`
    insert into payment_counts (team_id, final_to, counted_id, counted_at) values (${team_id}, '-infinity', '', 'epoch')
    on conflict (team_id) do nothing`);
}

/**
 * Locks the progress of a team until the transaction ends.
 * @returns undefined when another worker has locked it
 */
export function lockCount(tx: Tx, team_id: bigint): Promise<CountRow | undefined> {
  return tx.maybe<CountRow>(sql`
    select greatest(final_to, 'epoch') as final_to, counted_id, counted_at, case when ${MARK_SETTLED} then marked_at end as settled_at
    from payment_counts where team_id = ${team_id}
    for update skip locked`);
}

/** Stores how far the figures of a team are counted. */
export async function updateCount(
  tx: Tx,
  team_id: bigint,
  { final_to, counted_id, counted_at }: Omit<CountRow, 'settled_at'>,
): Promise<void> {
  await tx.run(sql`
    update payment_counts set final_to = ${final_to}, counted_id = ${counted_id}, counted_at = ${counted_at}
    where team_id = ${team_id}`);
}

/** Sets a mark, unless transactions from before the last one are still open. */
export async function moveMark(tx: Tx, team_id: bigint, at: Date): Promise<void> {
  await tx.run(sql`
    update payment_counts set marked_at = ${at}, marked_xid = ${MARK_XID}
    where team_id = ${team_id} and (marked_xid is null or ${MARK_SETTLED})`);
}

/** Deletes the figures of a period. */
export async function deleteFigures(tx: Tx, { team_id, from, to }: Period): Promise<void> {
  await tx.run(sql`
    delete from payment_hours where team_id = ${team_id} and hour >= date_trunc('hour', ${from}::timestamptz, 'UTC')
      and hour + part * interval '5 minutes' >= ${from} and hour + part * interval '5 minutes' < ${to}`);
}

/** Events of a team: `from` inclusive, `to` exclusive. */
export interface EventRange {
  from: string;
  to: string;
}

/** Returns the ids between which the events of a period are. */
export function eventsOf({ environment, from, to }: Period): EventRange {
  return { from: lowestIdAt('evt', environment, from.getTime()), to: lowestIdAt('evt', environment, to.getTime()) };
}

/** Returns the event that comes after a number of events of a range; null when the range has no more than that. */
export async function eventAfter(
  db: Queryable,
  team_id: bigint,
  { from, to }: EventRange,
  count: number,
): Promise<string | null> {
  const row = await db.maybe<{ id: string }>(sql`
    select id from events where team_id = ${team_id} and id >= ${from} and id < ${to} order by id offset ${count} limit 1`);
  return row?.id ?? null;
}

/**
 * Adds what ended in a range of events to the figures: each payment has one event of its end, each refund one of its success. Neither
 * the amounts nor the end of a payment change afterwards.
 * @param finished one part for each hour, instead of one for each five minutes
 */
export async function addFigures(tx: Tx, team_id: bigint, { from, to }: EventRange, finished: boolean): Promise<void> {
  await tx.run(sql`
    insert into payment_hours as h (team_id, hour, part, currency, channel, succeeded, failed, cancelled, expired, collected_minor,
      confirmed, confirm_ms, refunded, refunded_minor)
    select ${team_id}::bigint, date_trunc('hour', at, 'UTC'),
      case when ${finished}::boolean then 0 else extract(minute from at)::integer / 5 end, currency, coalesce(channel, ''),
      count(*) filter (where type = 'payment.succeeded'), count(*) filter (where type = 'payment.failed'),
      count(*) filter (where type = 'payment.cancelled'), count(*) filter (where type = 'payment.expired'),
      coalesce(sum(amount_minor) filter (where type = 'payment.succeeded'), 0),
      count(charged_at), coalesce(sum(floor(extract(epoch from at - charged_at) * 1000)), 0),
      count(*) filter (where type = 'refund.succeeded'),
      coalesce(sum(amount_minor) filter (where type = 'refund.succeeded'), 0)
    from (
      select e.type, e.created_at as at, p.currency, p.channel, p.captured_minor as amount_minor, (
        select max(a.created_at) from attempts a
        where a.team_id = p.team_id and a.payment_id = p.id and a.status = 'succeeded' and e.type = 'payment.succeeded') as charged_at
      from events e join payments p on p.team_id = e.team_id and p.id = e.resource_id
      where e.team_id = ${team_id} and e.id >= ${from} and e.id < ${to}
        and e.type in ('payment.succeeded', 'payment.failed', 'payment.cancelled', 'payment.expired')
      union all
      select e.type, e.created_at, r.currency, p.channel, r.amount_minor, null
      from events e join refunds r on r.team_id = e.team_id and r.id = e.resource_id
      join payments p on p.team_id = r.team_id and p.id = r.payment_id
      where e.team_id = ${team_id} and e.id >= ${from} and e.id < ${to} and e.type = 'refund.succeeded' and r.kind = 'merchant'
    ) ended
    group by 2, 3, 4, 5
    on conflict (team_id, hour, part, currency, channel) do update set
      succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed,
      cancelled = h.cancelled + excluded.cancelled, expired = h.expired + excluded.expired,
      collected_minor = h.collected_minor + excluded.collected_minor,
      confirmed = h.confirmed + excluded.confirmed, confirm_ms = h.confirm_ms + excluded.confirm_ms,
      refunded = h.refunded + excluded.refunded, refunded_minor = h.refunded_minor + excluded.refunded_minor`);
}

/** Makes one part of the parts of an hour. */
export async function mergeParts(tx: Tx, team_id: bigint, hour: Date): Promise<void> {
  await tx.run(sql`
    with parts as (delete from payment_hours where team_id = ${team_id} and hour = ${hour} returning *)
    insert into payment_hours (team_id, hour, part, currency, channel, succeeded, failed, cancelled, expired, collected_minor,
      confirmed, confirm_ms, refunded, refunded_minor)
    select team_id, hour, 0, currency, channel, sum(succeeded), sum(failed), sum(cancelled), sum(expired), sum(collected_minor),
      sum(confirmed), sum(confirm_ms), sum(refunded), sum(refunded_minor)
    from parts group by team_id, hour, currency, channel`);
}

/** Returns the figures of a team since a day, by day, currency and channel. */
export function readDays(db: Queryable, team_id: bigint, from: Date): Promise<DayFigures[]> {
  return db.all<DayFigures>(sql`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, currency, channel,
      sum(succeeded)::integer as succeeded, sum(failed)::integer as failed, sum(cancelled)::integer as cancelled,
      sum(expired)::integer as expired, sum(collected_minor)::bigint as collected_minor, sum(confirmed)::integer as confirmed,
      sum(confirm_ms)::bigint as confirm_ms, sum(refunded)::integer as refunded, sum(refunded_minor)::bigint as refunded_minor
    from payment_hours where team_id = ${team_id} and hour >= ${from} group by 1, 2, 3 order by 1, 2, 3`);
}

/** Numbers of a team's payments, payouts and refunds that have been processing for long. */
export interface LongUnderWay {
  payments: number;
  payouts: number;
  refunds: number;
}

/**
 * Counts the payments, payouts and refunds of a team that are processing and were created before a moment.
 * @param before for each kind, in milliseconds since the epoch
 * @param max the most that is counted of each kind
 */
export async function countLongUnderWay(
  db: Queryable,
  environment: Environment,
  team_id: bigint,
  before: Readonly<Record<keyof LongUnderWay, number>>,
  max: number,
): Promise<LongUnderWay> {
  const [trx, po, rfd] = [
    lowestIdAt('trx', environment, before.payments),
    lowestIdAt('po', environment, before.payouts),
    lowestIdAt('rfd', environment, before.refunds),
  ];
  const row = await db.maybe<LongUnderWay>(sql`
    select
      (select count(*) from (
        select from payments where team_id = ${team_id} and status = 'processing' and id < ${trx} limit ${max}) p)::integer as payments,
      (select count(*) from (
        select from transfers where team_id = ${team_id} and status = 'processing' and id < ${po} limit ${max}) t)::integer as payouts,
      (select count(*) from (
        select from refunds where team_id = ${team_id} and status = 'processing' and id < ${rfd} limit ${max}) r)::integer as refunds`);
  return must(row, 'a select without a table has one row');
}
