import { jsonText } from '../../kit/json.ts';
import type { Minor } from '../../kit/money.ts';
import { must } from '../../kit/errors.ts';
import { type Fragment, fixed, type Queryable, type RowKey, sql, type Tx, part } from '../../kit/sql.ts';
import { countMoved, intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import { notAmong } from '../../platform/work/row-sweep.ts';

const PAYMENT_ID = fixed('payment_id');

/** The share of one party of a succeeded payment, and how much of it is still pending. Amounts are in hundredths. */
export interface SettlementItem {
  team_id: bigint;
  payment_id: string;
  /** The connected subaccount; '' is the team itself. */
  account_id: string;
  currency: string;
  share_minor: Minor;
  amount_minor: Minor;
  release_at: Date;
  released_at: Date | null;
}

/** An item whose row is locked, with what refunds and disputes have drawn from the party since draws are counted; null: nothing. */
export interface LockedItem extends SettlementItem {
  drawn_minor: Minor | null;
}

/** Signed changes of a party's item: of what is still pending, and of what refunds and disputes have drawn. */
export interface ItemChange {
  account_id: string;
  waiting_minor: Minor;
  drawn_minor: Minor;
}

/** Inserts settlement items in one statement. */
export async function insertItems(tx: Tx, items: SettlementItem[]): Promise<void> {
  if (items.length === 0) return;
  await tx.run(sql`
    insert into settlement_items (team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at)
    select * from json_to_recordset(${jsonText(items)}::json) as i(team_id bigint, payment_id text, account_id text, currency text,
      share_minor bigint, amount_minor bigint, release_at timestamptz, released_at timestamptz)`);
}

/** Returns the items of a payment's parties, locked in a fixed order. The caller has locked the payment's row. */
export function lockItems(tx: Tx, team_id: bigint, payment_id: string): Promise<LockedItem[]> {
  return tx.all<LockedItem>(sql`
    select team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at, drawn_minor
    from settlement_items where team_id = ${team_id} and payment_id = ${payment_id} order by account_id for update`);
}

/** Returns the items of a payment's parties, the team first. */
export function itemsOfPayment(db: Queryable, team_id: bigint, payment_id: string): Promise<SettlementItem[]> {
  return db.all<SettlementItem>(sql`
    select team_id, payment_id, account_id, currency, share_minor, amount_minor, release_at, released_at
    from settlement_items where team_id = ${team_id} and payment_id = ${payment_id} order by account_id`);
}

/**
 * Changes the items of a payment's parties, one change for each. The pending amount of an item that was already released is not changed.
 * The drawn amount does not fall below zero, because a draw from before draws were counted may be returned as well. A wrong row (more
 * pending than its share) cannot be written, so draws are not counted there.
 */
export async function changeItems(tx: Tx, team_id: bigint, payment_id: string, changes: ItemChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.run(sql`
    update settlement_items i set
      amount_minor = i.amount_minor + case when i.released_at is null then c.waiting_minor else 0 end,
      drawn_minor = nullif(greatest(coalesce(i.drawn_minor, 0) + c.drawn_minor, 0), 0)
    from json_to_recordset(${jsonText(changes)}::json) as c(account_id text, waiting_minor bigint, drawn_minor bigint)
    where i.team_id = ${team_id} and i.payment_id = ${payment_id} and i.account_id = c.account_id
      and (c.waiting_minor <> 0 or i.amount_minor <= i.share_minor)`);
}

export interface PaymentRef {
  team_id: bigint;
  payment_id: string;
}

/**
 * Returns payments with money due for release, without locking them. Items whose pending amount exceeds their share are wrong
 * and are not released.
 * @param except ids of payments to leave out
 */
export function duePayments(db: Queryable, now: Date, limit: number, except: readonly RowKey[] = []): Promise<PaymentRef[]> {
  return db.all<PaymentRef>(sql`
    select distinct team_id, payment_id from (
      select team_id, payment_id from settlement_items
      where released_at is null and release_at <= ${now} and amount_minor <= share_minor ${notAmong(except, PAYMENT_ID)}
      order by release_at limit ${limit}
    ) due order by team_id, payment_id`);
}

/**
 * Locks payments and then their due items, in the lock order of every change of a payment. Payments locked by another
 * transaction are skipped until the next round.
 * @param lockPayments SQL: locks and selects the payments of the CTE `wanted` (team_id, id), without waiting
 */
export function lockDueItems(tx: Tx, refs: PaymentRef[], now: Date, lockPayments: Fragment): Promise<SettlementItem[]> {
  return tx.all<SettlementItem>(sql`
    with wanted as (
      select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.payment_id)}::text[]) as w (team_id, id)
    ),
    held as materialized (${lockPayments})
    select i.team_id, i.payment_id, i.account_id, i.currency, i.share_minor, i.amount_minor, i.release_at, i.released_at
    from settlement_items i join held on held.team_id = i.team_id and held.id = i.payment_id
    where i.released_at is null and i.release_at <= ${now} and i.amount_minor <= i.share_minor
    order by i.team_id, i.payment_id, i.account_id for update of i`);
}

/** Marks items as released. */
export async function markReleased(tx: Tx, items: SettlementItem[], now: Date, released_by: string): Promise<void> {
  const keys = jsonText(items.map(({ team_id, payment_id, account_id }) => ({ team_id, payment_id, account_id })));
  await tx.run(sql`
    update settlement_items i set amount_minor = 0, released_minor = i.amount_minor, released_at = ${now}, released_by = ${released_by}
    from json_to_recordset(${keys}::json) as k(team_id bigint, payment_id text, account_id text)
    where i.team_id = k.team_id and i.payment_id = k.payment_id and i.account_id = k.account_id`);
}

/** Returns the batches that released a payment's retained money; each batch also covers other payments. */
export async function releasesOf(db: Queryable, team_id: bigint, payment_id: string): Promise<string[]> {
  const rows = await db.all<{ released_by: string }>(sql`
    select distinct released_by from settlement_items
    where team_id = ${team_id} and payment_id = ${payment_id} and released_by is not null order by released_by`);
  return rows.map(({ released_by }) => released_by);
}

/** Moves the end of the retention of collected money. */
export async function shiftReleases(tx: Tx, { team_id, by_ms, now }: TimeShift): Promise<Shifted> {
  const row = await tx.maybe<Shifted>(sql`
    with moved as (
      update settlement_items set release_at = release_at - ${intervalOf(by_ms)}
      where team_id = ${team_id} and released_at is null
      returning release_at
    ) ${countMoved(by_ms, now, part`release_at`)}`);
  return must(row, 'a count returns a row');
}
