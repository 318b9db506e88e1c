import type { CustomerRef } from '../../core/customers/store.ts';
import { BY_KEY, clause, type Fragment, fixed, part, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { UNDECIDED_BY_STATEMENT } from '../../money/ledger/suspense.ts';

/** Returns whether the customer has an approved compliance record. */
export async function hasApprovedRecord(db: Queryable, { team_id, id }: CustomerRef): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 from compliance_records where team_id = ${team_id} and customer_id = ${id} and status = 'approved'`);
  return row !== undefined;
}

export interface Erasure {
  team_id: bigint;
  customer_id: string;
  key_id: string;
  request_id: string;
  payments: number;
  tax_id_kept: boolean;
  erased_at: Date;
  revisit_at: Date;
  known_sealed: string;
}

/** Inserts an erasure with the time of its first repetition. */
export async function insertErasure(tx: Tx, row: Erasure): Promise<void> {
  await tx.run(sql`
    insert into erasures (team_id, customer_id, key_id, request_id, payments, tax_id_kept, erased_at, revisit_at, known_sealed)
    values (${row.team_id}, ${row.customer_id}, ${row.key_id}, ${row.request_id}, ${row.payments}, ${row.tax_id_kept},
      ${row.erased_at}, ${row.revisit_at}, ${row.known_sealed})`);
}

/** An erasure that is repeated. */
export interface Revisit extends CustomerRef {
  /** Identity of the person, encrypted; null after the last repetition for data that was written during the erasure. */
  known_sealed: string | null;
}

/** Claims erasures that are due to be repeated. Those of a worker that died are due again after the lease. */
export async function claimRevisits(db: Queryable, now: Date, lease_ms: number, limit: number): Promise<Revisit[]> {
  return db.all<Revisit>(sql`
    update erasures set revisit_at = ${new Date(now.getTime() + lease_ms)}
    where (team_id, customer_id) in (
      select team_id, customer_id from erasures where revisit_at <= ${now} order by revisit_at limit ${limit} for update skip locked
    ) returning team_id, customer_id as id, known_sealed`);
}

/**
 * Schedules the next repetition of an erasure. There is none after the last one, unless a payment of the customer is not
 * final (a charge would store an IP address, a message and a number again) or a number is still needed.
 * @param last_ms time of the last repetition, after the erasure
 * @param working_ms delay from now, while a payment is not final or a number is needed
 */
export async function planRevisit(
  tx: Tx,
  { team_id, id }: CustomerRef,
  now: Date,
  { last_ms, working_ms }: { last_ms: number; working_ms: number },
): Promise<void> {
  await tx.run(sql`
    update erasures set revisit_at = case
      when erased_at + ${last_ms}::float8 * interval '1 ms' > ${now} then erased_at + ${last_ms}::float8 * interval '1 ms'
      when exists (
        select 1 from payments p
        where p.team_id = ${team_id} and p.customer_id = ${id} and p.status in ('pending', 'processing', 'partial')
      ) or exists (
        select 1 from payments p join attempts a on a.team_id = p.team_id and a.payment_id = p.id
        where p.team_id = ${team_id} and p.customer_id = ${id} and a.payer is not null
      ) then ${new Date(now.getTime() + working_ms)}
    end,
    known_sealed = case when erased_at + ${last_ms}::float8 * interval '1 ms' > ${now} then known_sealed end
    where team_id = ${team_id} and customer_id = ${id}`);
}

/** Returns the next invoices that were once addressed to the customer. */
export function findFormerInvoices(tx: Tx, customer: CustomerRef, after: string, limit: number): Promise<{ id: string }[]> {
  return tx.all<{ id: string }>(sql`
    select invoice_id as id from invoice_former_customers
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and invoice_id > ${after}
    order by invoice_id limit ${limit}`);
}

/**
 * SQL: whether the payer's number is no longer needed. The attempt is closed, none of its money has to be returned, no refund of
 * the payment is open (some providers refund a wallet by a transfer to the number), no evidence waits for a decision, and no
 * further tranche of the payment is charged to the same number.
 */
const RELEASED = clause`a.closed_at is not null and not a.giveback and a.mismatch is null and p.status <> 'partial'
  and not exists (select from journals j where j.team_id = a.team_id and j.source_id = a.id and ${UNDECIDED_BY_STATEMENT})
  and not exists (select 1 from returns o where o.team_id = a.team_id and o.attempt_id = a.id and o.closed_at is null)
  and not exists (select 1 from refunds r where r.team_id = a.team_id and r.payment_id = a.payment_id
    and r.status in ('pending', 'processing'))`;

/** Returns the attempts of the payments whose payer's number is no longer needed. */
export async function findReleased(tx: Tx, team_id: bigint, payment_ids: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    select a.id from attempts a join payments p on p.team_id = a.team_id and p.id = a.payment_id
    where a.team_id = ${team_id} and a.payment_id = any(${[...payment_ids]}) and ${RELEASED}`);
  return rows.map(({ id }) => id);
}

/** SQL: whether the attempt `a` still has its payer's number or address, as in the index `attempts_personal`. */
const PERSONAL = fixed('(a.payer is not null or a.client_ip is not null)');

/** An attempt that ended long ago and still has its payer's number or address. */
export interface OldAttempt {
  team_id: bigint;
  id: string;
  provider: string;
  status: string;
  closed_at: Date;
  /** Whether it still has the number, beside the address. */
  has_number: boolean;
}

/**
 * Returns such attempts of all customers, the oldest first.
 * @param after end of the last attempt that was examined; `until` is inclusive
 * @param limit more are returned when several ended at the same moment
 */
export function findOldAttempts(db: Queryable, after: Date, until: Date, limit: number): Promise<OldAttempt[]> {
  return db.all<OldAttempt>(sql`
    select a.team_id, a.id, a.provider, a.status, a.closed_at, a.payer is not null as has_number from attempts a
    where ${PERSONAL} and a.closed_at > ${after} and a.closed_at <= ${until}
    order by a.closed_at fetch first ${limit} rows with ties`);
}

/** Data about an attempt's payer that is still stored, besides the address. */
export interface OldPayer {
  team_id: bigint;
  id: string;
  payer: string | null;
  payer_hash: string | null;
}

/**
 * Returns the given attempts that no longer need the payer's number, with their payments locked. Every change of an attempt locks its
 * payment first; without this lock, a change could write the number back. The check is a statement of its own, because the one that locks
 * may see a refund or return as it was before a change that has just released the lock.
 */
export async function lockReleased(tx: Tx, attempts: readonly OldAttempt[]): Promise<OldPayer[]> {
  const locked = await tx.all<Pick<OldPayer, 'team_id' | 'id'>>(sql`
    select a.team_id, a.id from ${namedBy(attempts)}
      join payments p on p.team_id = a.team_id and p.id = a.payment_id
    for update of p skip locked${BY_KEY}`);
  return tx.all<OldPayer>(sql`
    select a.team_id, a.id, a.payer, a.payer_hash from ${namedBy(locked)}
      join payments p on p.team_id = a.team_id and p.id = a.payment_id
    where ${PERSONAL} and ${RELEASED}${BY_KEY}`);
}

/** SQL: the attempts `a` with these ids. */
function namedBy(attempts: readonly Pick<OldPayer, 'team_id' | 'id'>[]): Fragment {
  return part`unnest(${attempts.map(({ team_id }) => team_id)}::bigint[], ${attempts.map(({ id }) => id)}::text[]) k (team_id, id)
      join attempts a on a.team_id = k.team_id and a.id = k.id`;
}
