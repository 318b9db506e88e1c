import { assignments, columnsOf, typedColumns } from '../../kit/columns.ts';
import { jsonText } from '../../kit/json.ts';
import { must } from '../../kit/errors.ts';
import { amongKeys, BY_KEY, clause, fixed, part, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { intervalOf, type Shifted, type TimeShift } from '../../platform/db/time-shift.ts';
import { notAt } from '../../platform/work/account-key.ts';
import { notAmong } from '../../platform/work/row-sweep.ts';
import { BY_SHARD, dueBefore, EVERY_TURN, IN_SHARD, shardsOf, type Turn } from '../../platform/work/shards.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import { lockAttempts } from '../attempts/store.ts';
import { isArchived, restoreLocked, type Stored, withArchived } from './archived-store.ts';
import { STORED_COLUMNS, type StoredColumn } from './fields.ts';
import type { PaymentRow } from './schema.ts';
import { HAS_UNDECIDED_BY_STATEMENT } from './statement-amounts-store.ts';

/** The columns of a {@link PaymentRow} with their types. */
export const COLUMNS: Record<keyof PaymentRow, string> = {
  ...(Object.fromEntries(STORED_COLUMNS.map((name) => [name, 'text'])) as Record<StoredColumn, string>),
  team_id: 'bigint',
  id: 'text',
  amount_minor: 'bigint',
  fee_minor: 'bigint',
  captured_minor: 'bigint',
  refunded_minor: 'bigint',
  currency: 'text',
  status: 'text',
  bearer: 'text',
  channel: 'text',
  settled: 'boolean',
  reason: 'text',
  message: 'text',
  customer_id: 'text',
  account_id: 'text',
  payment_method: 'text',
  name: 'text',
  email: 'text',
  phone: 'text',
  key_id: 'text',
  details: 'json',
  split: 'json',
  continue_at: 'timestamptz',
  retry_of: 'text',
  retried_by: 'text',
  retry_number: 'smallint',
  claim: 'bytea',
  event_count: 'integer',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  expires_at: 'timestamptz',
  completed_at: 'timestamptz',
};

/** The columns of a stored payment. Whoever reads them passes the rows to {@link withArchived} or {@link restoreLocked}. */
export const columns = fixed([...Object.keys(COLUMNS), 'archived'].join(', '));

/** SQL: whether the payment of the row `a` of `attempts` may be charged with its amount. */
export const CHARGEABLE = clause`exists (
  select 1 from payments p where p.team_id = a.team_id and p.id = a.payment_id and (p.status = 'pending' or (p.status = 'partial'
    and p.captured_minor + a.amount_minor <= p.amount_minor + case p.bearer when 'customer' then p.fee_minor else 0 end))
    and not ${HAS_UNDECIDED_BY_STATEMENT})`;

/** A payment with the request hash and time of its idempotency key. */
export interface KeyedPayment extends PaymentRow {
  request_hash: Buffer;
  keyed_at: Date;
}

/** Returns the payment that was created with an idempotency key, or undefined. */
export async function findByKey(db: Queryable, team_id: bigint, route: string, key: string): Promise<KeyedPayment | undefined> {
  const rows = await db.all<Stored<KeyedPayment>>(sql`
    select ${columns}, request_hash, keyed_at
    from payments join (
      select resource_id, request_hash, created_at as keyed_at from idempotency_keys
      where team_id = ${team_id} and route = ${route} and key = ${key}
    ) k on id = resource_id
    where team_id = ${team_id}`);
  return (await withArchived(db, rows))[0];
}

/** Whether a payment of the team has this reference. */
export async function referenceExists(db: Queryable, team_id: bigint, reference: string): Promise<boolean> {
  const row = await db.maybe(sql`select 1 from payments where team_id = ${team_id} and reference = ${reference} limit 1`);
  return row !== undefined;
}

// -------------------------------------------------------------------------------------------------- read
/** Returns a payment, archived or not; undefined when the team has no such payment. */
export async function findPayment(db: Queryable, team_id: bigint, id: string): Promise<PaymentRow | undefined> {
  const row = await findStored(db, team_id, id);
  return row && (await withArchived(db, [row]))[0];
}

/** Returns a payment as it is stored, for callers that also read its attempts. */
export function findStored(db: Queryable, team_id: bigint, id: string): Promise<Stored<PaymentRow> | undefined> {
  return db.maybe<Stored<PaymentRow>>(sql`select ${columns} from payments where team_id = ${team_id} and id = ${id}`);
}

/** The key of a payment's row. */
export interface PaymentRef {
  team_id: bigint;
  id: string;
}

/**
 * Locks payments in a fixed order until the transaction ends, so that concurrent transactions cannot deadlock. Those that are archived
 * are restored: every change of a payment begins here.
 */
export async function lockPayments(tx: Tx, refs: readonly PaymentRef[]): Promise<PaymentRow[]> {
  return restoreLocked(tx, await lockStored(tx, refs));
}

function lockStored(tx: Tx, refs: readonly PaymentRef[]): Promise<Stored<PaymentRow>[]> {
  return tx.all<Stored<PaymentRow>>(sql`
    select ${columns} from payments
    where ${amongKeys(refs)}
    order by team_id, id for update`);
}

/**
 * Locks payments like {@link lockPayments}, then their attempts, in one round trip: PostgreSQL runs the second statement when the first has
 * its locks.
 */
export async function lockWithAttempts(tx: Tx, refs: readonly PaymentRef[]): Promise<[PaymentRow[], AttemptRow[]]> {
  const [stored, attempts] = await Promise.all([lockStored(tx, refs), lockAttempts(tx, refs)]);
  const payments = await restoreLocked(tx, stored);
  // The attempts of archived payments are in the table only now.
  return [payments, stored.some(isArchived) ? await lockAttempts(tx, refs) : attempts];
}

/** Locks payments like {@link lockPayments}, without those that another transaction has locked. */
export async function lockFreePayments(tx: Tx, refs: readonly PaymentRef[]): Promise<PaymentRow[]> {
  const rows = await tx.all<Stored<PaymentRow>>(sql`
    select ${columns} from payments
    where ${amongKeys(refs)}
    order by team_id, id for update skip locked`);
  return restoreLocked(tx, rows);
}

/** SQL: locks and selects the payments of the CTE `wanted` (team_id, id). Rows locked by another transaction are skipped. */
export const LOCK_WANTED = fixed(`
      select team_id, id from payments where (team_id, id) in (select team_id, id from wanted)
      order by team_id, id for update skip locked`);

// ------------------------------------------------------------------------------------------------- write
/** The columns that a state change writes. */
const CHANGED = [
  'status',
  'channel',
  'fee_minor',
  'captured_minor',
  'refunded_minor',
  'settled',
  'reason',
  'message',
  'payment_method',
  'continue_at',
  'event_count',
  'updated_at',
  'completed_at',
] as const;
const CHANGES = ['team_id', 'id', ...CHANGED] as const;
const changed = fixed(assignments(CHANGED));
const changes = fixed(typedColumns(COLUMNS, CHANGES));

export type PaymentUpdate = Pick<PaymentRow, (typeof CHANGES)[number]>;

/** Writes changed payments in one statement. Called only by `apply`. */
export async function updatePayments(tx: Tx, updates: PaymentUpdate[]): Promise<void> {
  const rows = updates.map((update) => columnsOf(update, CHANGES));
  await tx.run(sql`
    update payments p set ${changed} from json_to_recordset(${jsonText(rows)}::json) as u(${changes})
    where p.team_id = u.team_id and p.id = u.id`);
}

/** A payment whose next tranche is due. */
export interface Continuing extends PaymentRef {
  continue_at: Date;
  /** The provider account that took the previous tranche. */
  provider_account: string | null;
}

const lastAccount = fixed(`(
  select provider_account from attempts
  where attempts.team_id = payments.team_id and attempts.payment_id = payments.id order by attempts.id desc limit 1)`);

/**
 * Claims payments whose next tranche is due; those of a killed worker become due again after the lease.
 * @param lease_ms milliseconds
 */
export function claimContinuing(
  db: Queryable,
  now: Date,
  lease_ms: number,
  limit: number,
  skip: readonly string[],
  turn: Turn = EVERY_TURN,
): Promise<Continuing[]> {
  return db.all<Continuing>(sql`
    update payments set continue_at = ${new Date(now.getTime() + lease_ms)}
    where (team_id, id) in (
      select k.team_id, k.id from ${shardsOf(turn)} cross join lateral (
        select team_id, id from payments where ${IN_SHARD} and continue_at <= ${dueBefore(now, turn)} ${notAt(lastAccount, skip)}
        order by ${BY_SHARD}, continue_at limit ${limit} for update skip locked) k
      limit ${limit}
    ) returning team_id, id, continue_at, ${lastAccount} as provider_account${BY_KEY}`);
}

/**
 * Stops sending tranches, so that the payer has to continue; unless another tranche was captured since the claim and set a new
 * time.
 */
export async function stopContinuing(db: Queryable, claimed: Continuing): Promise<void> {
  await db.run(sql`
    update payments set continue_at = null
    where team_id = ${claimed.team_id} and id = ${claimed.id} and continue_at = ${claimed.continue_at}`);
}

/**
 * Stores which browser holds the hosted page.
 * @returns false when the stored claim is no longer `from`
 */
export async function writeClaim(db: Queryable, ref: PaymentRef, from: Buffer | null, to: Buffer): Promise<boolean> {
  const changed = await db.run(sql`
    update payments set claim = ${to}
    where team_id = ${ref.team_id} and id = ${ref.id} and claim is not distinct from ${from}`);
  return changed === 1;
}

/** Payments whose window is over and that have no attempt under way and no money that waits for a decision, the oldest first. */
const expired = (now: Date, limit: number, except: readonly PaymentRef[]) => part`
  select team_id, id from payments p
  where expires_at <= ${now} and status in ('pending', 'partial')
    and not exists (select 1 from attempts a where a.team_id = p.team_id and a.payment_id = p.id
      and (a.status in ('created', 'open', 'unknown') or a.mismatch is not null))
    and not ${HAS_UNDECIDED_BY_STATEMENT} ${notAmong(except)}
  order by expires_at limit ${limit}`;

/** Returns whether a payment has expired. Unlike {@link lockExpired}, it needs no transaction. @param except rows to leave out */
export async function anyExpired(db: Queryable, now: Date, except: readonly PaymentRef[] = []): Promise<boolean> {
  return (await db.maybe(sql`${expired(now, 1, except)}${PLANNED_EACH_TIME}`)) !== undefined;
}

/**
 * Locks payments whose window is over and that have no attempt under way. Rows locked by another worker are skipped.
 * @param except rows to leave out
 */
export function lockExpired(tx: Tx, now: Date, limit: number, except: readonly PaymentRef[] = []): Promise<PaymentRef[]> {
  return tx.all<PaymentRef>(sql`${expired(now, limit, except)} for update of p skip locked${PLANNED_EACH_TIME}`);
}

/**
 * Moves the expiry of payments that are not final, and the next tranche of those in tranches.
 * @param payment_id moves only this payment; all when absent
 */
export async function shiftPayments(tx: Tx, { team_id, by_ms, now }: TimeShift, payment_id?: string): Promise<Shifted> {
  const alone = payment_id === undefined ? part`` : part`and id = ${payment_id}`;
  const row = await tx.maybe<Shifted>(sql`
    with held as materialized (
      -- Locked in the order in which every change of payments locks them.
      select id from payments where team_id = ${team_id} and status in ('pending', 'processing', 'partial') ${alone}
      order by id for update
    ),
    moved as (
      update payments p set expires_at = p.expires_at - ${intervalOf(by_ms)}, continue_at = p.continue_at - ${intervalOf(by_ms)}
      from held where p.team_id = ${team_id} and p.id = held.id
      returning p.expires_at
    )
    select count(*)::integer as moved,
      (count(*) filter (where expires_at <= ${now} and expires_at + ${intervalOf(by_ms)} > ${now}))::integer as due
    from moved`);
  return must(row, 'a count returns a row');
}

/** Marks payments as settled where nothing is pending any more. The caller has locked them. */
export async function markSettled(tx: Tx, refs: readonly PaymentRef[], now: Date): Promise<void> {
  await tx.run(sql`
    update payments p set settled = true, updated_at = ${now}
    from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]) as k (team_id, id)
    where p.team_id = k.team_id and p.id = k.id and not exists (
      select 1 from settlement_items i where i.team_id = p.team_id and i.payment_id = p.id and i.released_at is null)`);
}
