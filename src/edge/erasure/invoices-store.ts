import { type Json, jsonText } from '../../kit/json.ts';
import { sql, type Tx } from '../../kit/sql.ts';
import type { CustomerRef } from '../../core/customers/store.ts';

/** Personal data of the customer on an invoice. */
export interface InvoiceSnapshot {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  reference: string | null;
  notes: string | null;
  items: Json;
  metadata: Json;
}

/** Returns the customer's next invoices, locked until the transaction ends. Invoices are locked after payments everywhere. */
export function lockInvoiceSnapshots(tx: Tx, customer: CustomerRef, after: string, limit: number): Promise<InvoiceSnapshot[]> {
  return tx.all<InvoiceSnapshot>(sql`
    select id, name, email, phone, reference, notes, items, metadata from invoices
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and id > ${after}
    order by id limit ${limit} for update`);
}

/** Returns the next invoices that were once addressed to the customer. */
export function findFormerInvoices(tx: Tx, customer: CustomerRef, after: string, limit: number): Promise<{ id: string }[]> {
  return tx.all<{ id: string }>(sql`
    select invoice_id as id from invoice_former_customers
    where team_id = ${customer.team_id} and customer_id = ${customer.id} and invoice_id > ${after}
    order by invoice_id limit ${limit}`);
}

export async function writeInvoiceSnapshots(tx: Tx, team_id: bigint, rows: readonly InvoiceSnapshot[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(sql`
    update invoices i set name = u.name, email = u.email, phone = u.phone, reference = u.reference, notes = u.notes,
      items = u.items, metadata = u.metadata
    from json_to_recordset(${jsonText(rows)}::json) as u(id text, name text, email text, phone text, reference text, notes text,
      items json, metadata json)
    where i.team_id = ${team_id} and i.id = u.id`);
}
