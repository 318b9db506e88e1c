import { AWAITS_DECISION } from '../../core/payments/statement-amounts-store.ts';
import { jsonText } from '../../kit/json.ts';
import { amongKeys, fixed, PLANNED_EACH_TIME, type Queryable, sql, type Tx } from '../../kit/sql.ts';
import { notAmong } from '../../platform/work/row-sweep.ts';
import type { InvoiceRow } from './schema.ts';
import type { InvoiceRef } from './token.ts';

const INVOICE = `team_id, id, number, status, currency, amount_minor, paid_minor, refunded_minor, allow_partial, least_minor, items,
  customer_id, name, email, phone, due_date, notes, reference, locale, metadata, url, payment_id, overdue_at, sent_at, mailed_at,
  viewed_at, paid_at, cancelled_at, event_count, key_id, request_id, created_at, updated_at`;

/** The columns of an {@link InvoiceRow}. */
export const columns = fixed(INVOICE);

/** The columns of an {@link InvoiceRow} for json_to_recordset. */
const record = fixed(`team_id bigint, id text, number text, status text, currency text, amount_minor bigint, paid_minor bigint,
  refunded_minor bigint, allow_partial boolean, least_minor bigint, items json, customer_id text, name text, email text, phone text,
  due_date text, notes text, reference text, locale text, metadata json, url text, payment_id text, overdue_at timestamptz,
  sent_at timestamptz, mailed_at timestamptz, viewed_at timestamptz, paid_at timestamptz, cancelled_at timestamptz,
  event_count integer, key_id text, request_id text, created_at timestamptz, updated_at timestamptz`);

/** Inserts an invoice. */
export async function insertInvoice(tx: Tx, row: InvoiceRow): Promise<void> {
  await tx.run(sql`
    insert into invoices (${columns}) select ${columns} from json_to_recordset(${jsonText([row])}::json) as u(${record})`);
}

/** Returns an invoice by id. */
export function findInvoice(db: Queryable, { team_id, id }: InvoiceRef): Promise<InvoiceRow | undefined> {
  return db.maybe<InvoiceRow>(sql`select ${columns} from invoices where team_id = ${team_id} and id = ${id}`);
}

/** Returns invoices, locked in a fixed order until the transaction ends. */
export function lockInvoices(tx: Tx, refs: readonly InvoiceRef[]): Promise<InvoiceRow[]> {
  return tx.all<InvoiceRow>(sql`
    select ${columns} from invoices
    where ${amongKeys(refs)}
    order by team_id, id for update`);
}

/**
 * Returns invoices past their due date, locked. Rows that are locked by another worker or a payment are left for the next
 * round.
 * @param except rows to leave out
 */
export function lockOverdue(tx: Tx, now: Date, limit: number, except: readonly InvoiceRef[]): Promise<InvoiceRow[]> {
  return tx.all<InvoiceRow>(sql`
    select ${columns} from invoices where overdue_at <= ${now} and status in ('sent', 'viewed', 'partial') ${notAmong(except)}
    order by overdue_at limit ${limit} for update skip locked${PLANNED_EACH_TIME}`);
}

/** Writes every column that can change, of all rows in one statement. */
export async function updateInvoices(tx: Tx, rows: readonly InvoiceRow[]): Promise<void> {
  await tx.run(sql`
    update invoices i set number = u.number, status = u.status, currency = u.currency, amount_minor = u.amount_minor,
      paid_minor = u.paid_minor, refunded_minor = u.refunded_minor, allow_partial = u.allow_partial, least_minor = u.least_minor,
      items = u.items, customer_id = u.customer_id, name = u.name, email = u.email, phone = u.phone, due_date = u.due_date,
      notes = u.notes, reference = u.reference, locale = u.locale, metadata = u.metadata, url = u.url, payment_id = u.payment_id,
      overdue_at = u.overdue_at, sent_at = u.sent_at, mailed_at = u.mailed_at, viewed_at = u.viewed_at, paid_at = u.paid_at,
      cancelled_at = u.cancelled_at, event_count = u.event_count, updated_at = u.updated_at
    from json_to_recordset(${jsonText(rows)}::json) as u(${record}) where i.team_id = u.team_id and i.id = u.id`);
}

/** Deletes an invoice. */
export async function deleteInvoice(tx: Tx, { team_id, id }: InvoiceRef): Promise<void> {
  await tx.run(sql`delete from invoices where team_id = ${team_id} and id = ${id}`);
}

/** Records that earlier events of the invoice name a former customer, so that an erasure of that customer finds them. */
export async function insertFormerCustomer(tx: Tx, { team_id, customer_id, id }: InvoiceRow): Promise<void> {
  await tx.run(sql`
    insert into invoice_former_customers (team_id, customer_id, invoice_id) values (${team_id}, ${customer_id}, ${id})
    on conflict do nothing`);
}

/** Returns the team's next invoice number. Its row stays locked until the transaction ends, so numbers have no gaps. */
export async function takeNumber(tx: Tx, team_id: bigint): Promise<bigint> {
  const rows = await tx.all<{ last: bigint }>(sql`
    insert into invoice_numbers (team_id, last) values (${team_id}, 1)
    on conflict (team_id) do update set last = invoice_numbers.last + 1 returning last`);
  return rows[0]?.last ?? 0n;
}

// ---------------------------------------------------------------------------------------------- payments
/** Returns the number of payments created for the invoice. */
export async function countPayments(tx: Tx, { team_id, id }: InvoiceRef): Promise<number> {
  const row = await tx.maybe<{ made: bigint }>(sql`
    select count(*) as made from invoice_payments where team_id = ${team_id} and invoice_id = ${id}`);
  return Number(row?.made ?? 0n);
}

/** Records that a payment was created for the invoice. */
export async function insertPayment(tx: Tx, { team_id, id }: InvoiceRef, payment_id: string): Promise<void> {
  await tx.run(sql`insert into invoice_payments (team_id, payment_id, invoice_id) values (${team_id}, ${payment_id}, ${id})`);
}

/**
 * Returns whether money that arrived for an ended payment of the invoice waits for a decision, or its provider is still asked about the
 * charge. The payer may have paid, so no other payment is offered.
 */
export async function awaitsDecision(db: Queryable, { team_id, id }: InvoiceRef): Promise<boolean> {
  const row = await db.maybe(sql`
    select 1 from invoice_payments i join payments p on p.team_id = i.team_id and p.id = i.payment_id
    where i.team_id = ${team_id} and i.invoice_id = ${id} and ${AWAITS_DECISION} limit 1`);
  return row !== undefined;
}

/** Captured and refunded amounts of a payment so far. */
export interface Contribution {
  team_id: bigint;
  payment_id: string;
  paid_minor: bigint;
  refunded_minor: bigint;
}

/**
 * Stores the captured and refunded amounts of payments.
 * @returns the invoices of the payments
 */
export async function updateContributions(tx: Tx, rows: readonly Contribution[]): Promise<InvoiceRef[]> {
  return tx.all<InvoiceRef>(sql`
    update invoice_payments p set paid_minor = u.paid_minor, refunded_minor = u.refunded_minor
    from json_to_recordset(${jsonText(rows)}::json) as u(team_id bigint, payment_id text, paid_minor bigint, refunded_minor bigint)
    where p.team_id = u.team_id and p.payment_id = u.payment_id returning p.team_id, p.invoice_id as id`);
}

export interface Sums extends InvoiceRef {
  paid_minor: bigint;
  refunded_minor: bigint;
}

/**
 * Returns the sums of all payments of each invoice. The invoices have to be locked first, so that concurrent updates do not
 * overwrite each other's sum.
 */
export function sumsOf(tx: Tx, refs: readonly InvoiceRef[]): Promise<Sums[]> {
  return tx.all<Sums>(sql`
    select team_id, invoice_id as id, sum(paid_minor)::bigint as paid_minor, sum(refunded_minor)::bigint as refunded_minor
    from invoice_payments
    where (team_id, invoice_id) in (
      select * from unnest(${refs.map((ref) => ref.team_id)}::bigint[], ${refs.map((ref) => ref.id)}::text[]))
    group by team_id, invoice_id`);
}
