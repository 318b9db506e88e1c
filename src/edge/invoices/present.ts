import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { InvoiceRow } from './schema.ts';
import { isPayable } from './states.ts';

/** Returns the amount that was paid and not refunded. */
function keptOf({ paid_minor, refunded_minor }: Pick<InvoiceRow, 'paid_minor' | 'refunded_minor'>): Minor {
  return paid_minor - refunded_minor;
}

/** Returns the amount due. A draft is due in full. A paid or cancelled invoice has no amount due, even after a refund. */
export function dueOf(row: Pick<InvoiceRow, 'status' | 'amount_minor' | 'paid_minor' | 'refunded_minor'>): Minor {
  if (row.status !== 'draft' && !isPayable(row.status)) return 0n;
  const due = row.amount_minor - keptOf(row);
  return due > 0n ? due : 0n;
}

/** Returns an invoice as GET returns it and events contain it. */
export function presentInvoice(row: InvoiceRow) {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    reference: row.reference,
    currency: row.currency,
    items: row.items.map(({ name, description, quantity, unit_price_minor, amount_minor }) => ({
      name,
      description,
      quantity,
      unit_price: wireFromMinor(BigInt(unit_price_minor)),
      amount: wireFromMinor(BigInt(amount_minor)),
    })),
    amount: wireFromMinor(row.amount_minor),
    amount_paid: wireFromMinor(row.paid_minor),
    amount_refunded: wireFromMinor(row.refunded_minor),
    amount_due: wireFromMinor(dueOf(row)),
    allow_partial: row.allow_partial,
    min_amount: row.least_minor === null ? null : wireFromMinor(row.least_minor),
    customer: row.customer_id,
    recipient: { name: row.name, email: row.email, phone: row.phone },
    due_date: row.due_date,
    notes: row.notes,
    locale: row.locale,
    url: row.url,
    payment: row.payment_id,
    metadata: row.metadata,
    sandbox: false,
    sent_at: row.sent_at?.toISOString() ?? null,
    viewed_at: row.viewed_at?.toISOString() ?? null,
    paid_at: row.paid_at?.toISOString() ?? null,
    cancelled_at: row.cancelled_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
