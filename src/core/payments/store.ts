import { jsonText } from '../../kit/json.ts';
import { fixed, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { notAt } from '../../platform/work/account-key.ts';
import type { AttemptView } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';

const PAYMENT = `team_id, id, reference, amount_minor, fee_minor, captured_minor, refunded_minor, currency, status, bearer,
  channel, description, settled, reason, message, customer_id, account_id, payment_method, name, email, phone, key_id, callback,
  details, split, continue_at, claim, event_count, created_at, updated_at, expires_at, completed_at`;

/** The columns of a {@link PaymentRow}. */
export const columns = fixed(PAYMENT);

/** A payment with the request hash and time of its idempotency key. */
export interface KeyedPayment extends PaymentRow {
  request_hash: Buffer;
  keyed_at: Date;
}

/** Returns the payment that was created with an idempotency key, or undefined. */
export function findByKey(db: Queryable, team_id: bigint, route: string, key: string): Promise<KeyedPayment | undefined> {
  return db.maybe<KeyedPayment>(sql`
    select ${columns}, request_hash, keyed_at
    from payments join (
      select resource_id, request_hash, created_at as keyed_at from idempotency_keys
      where team_id = ${team_id} and route = ${route} and key = ${key}
    ) k on id = resource_id
    where team_id = ${team_id}`);
}

/** Whether a payment of the team has this reference. */
export async function referenceExists(db: Queryable, team_id: bigint, reference: string): Promise<boolean> {
  const row = await db.maybe(sql`select 1 from payments where team_id = ${team_id} and reference = ${reference} limit 1`);
  return row !== undefined;
}

// -------------------------------------------------------------------------------------------------- read
export function findPayment(db: Queryable, team_id: bigint, id: string): Promise<PaymentRow | undefined> {
  return db.maybe<PaymentRow>(sql`select ${columns} from payments where team_id = ${team_id} and id = ${id}`);
}

export type PaymentWithAttempts = PaymentRow & { attempts: AttemptView[] };

/** Returns a payment with its attempts in one round trip. */
export function findWithAttempts(db: Queryable, team_id: bigint, id: string): Promise<PaymentWithAttempts | undefined> {
  return db.maybe<PaymentWithAttempts>(sql`
    select ${columns}, coalesce((
      select json_agg(json_build_object('id', a.id, 'provider', a.provider, 'channel', a.channel, 'status', a.status,
        'reason', a.reason, 'decision', a.decision, 'created_at', a.created_at) order by a.id)
      from attempts a where a.team_id = p.team_id and a.payment_id = p.id), '[]') as attempts
    from payments p where team_id = ${team_id} and id = ${id}`);
}

/** The key of a payment's row. */
export interface PaymentRef {
  team_id: bigint;
  id: string;
}

/** Locks payments in a fixed order until the transaction ends, so that concurrent transactions cannot deadlock. */
export function lockPayments(tx: Tx, refs: readonly PaymentRef[]): Promise<PaymentRow[]> {
  return tx.all<PaymentRow>(sql`
    select ${columns} from payments
    where (team_id, id) in (select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))
    order by team_id, id for update`);
}

// ------------------------------------------------------------------------------------------------- write
/** The columns that a state change may write. */
export type PaymentUpdate = Pick<
  PaymentRow,
  | 'team_id'
  | 'id'
  | 'status'
  | 'channel'
  | 'fee_minor'
  | 'captured_minor'
  | 'refunded_minor'
  | 'settled'
  | 'reason'
  | 'message'
  | 'payment_method'
  | 'continue_at'
  | 'event_count'
  | 'updated_at'
  | 'completed_at'
>;

/** Writes changed payments in one statement. Called only by `apply`. */
export async function updatePayments(tx: Tx, updates: PaymentUpdate[]): Promise<void> {
  await tx.run(sql`
    update payments p set status = u.status, channel = u.channel, fee_minor = u.fee_minor, captured_minor = u.captured_minor,
      refunded_minor = u.refunded_minor, settled = u.settled, reason = u.reason, message = u.message,
      payment_method = u.payment_method, continue_at = u.continue_at, event_count = u.event_count, updated_at = u.updated_at, completed_at = u.completed_at
    from json_to_recordset(${jsonText(updates.map(columnsOf))}::json) as u(team_id bigint, id text, status text, channel text, fee_minor bigint,
      captured_minor bigint, refunded_minor bigint, settled boolean, reason text, message text, payment_method text,
      continue_at timestamptz, event_count integer, updated_at timestamptz, completed_at timestamptz)
    where p.team_id = u.team_id and p.id = u.id`);
}

/** Returns only the columns that are written, to send no more to the database than needed. */
function columnsOf(row: PaymentUpdate): PaymentUpdate {
  const {
    team_id,
    id,
    status,
    channel,
    fee_minor,
    captured_minor,
    refunded_minor,
    settled,
    reason,
    message,
    payment_method,
    continue_at,
    event_count,
    updated_at,
    completed_at,
  } = row;
  return {
    team_id,
    id,
    status,
    channel,
    fee_minor,
    captured_minor,
    refunded_minor,
    settled,
    reason,
    message,
    payment_method,
    continue_at,
    event_count,
    updated_at,
    completed_at,
  };
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
): Promise<Continuing[]> {
  return db.all<Continuing>(sql`
    update payments set continue_at = ${new Date(now.getTime() + lease_ms)}
    where (team_id, id) in (
      select team_id, id from payments where continue_at <= ${now} ${notAt(lastAccount, skip)}
      order by continue_at limit ${limit} for update skip locked
    ) returning team_id, id, continue_at, ${lastAccount} as provider_account${PLANNED_EACH_TIME}`);
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

/** Locks payments whose window is over and that have no attempt under way. Rows locked by another worker are skipped. */
export function lockExpired(tx: Tx, now: Date, limit: number): Promise<PaymentRef[]> {
  return tx.all<PaymentRef>(sql`
    select team_id, id from payments p
    where expires_at <= ${now} and status in ('pending', 'partial')
      and not exists (select 1 from attempts a where a.team_id = p.team_id and a.payment_id = p.id
        and a.status in ('created', 'open', 'unknown'))
    order by expires_at limit ${limit} for update of p skip locked${PLANNED_EACH_TIME}`);
}
