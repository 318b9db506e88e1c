import type { EventType } from '../../money/events/catalogue.ts';
import type { NewEvent } from '../../money/events/record.ts';
import { recordEvents } from '../../money/webhooks/record-store.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Tx } from '../../kit/sql.ts';
import { presentInvoice } from './present.ts';
import type { InvoiceRow } from './schema.ts';
import { type InvoiceTrigger, nextInvoiceStatus } from './states.ts';
import { updateInvoices } from './store.ts';

/** Invoices exist in live only. */
export const ENVIRONMENT: Environment = 'live';

/** One change of a locked invoice. */
export interface Step {
  before: InvoiceRow;
  /** Changed fields, other than the status. */
  changes?: Partial<InvoiceRow>;
  /** Without a trigger, or with one that has no transition in this status, the status stays the same. */
  trigger?: InvoiceTrigger;
}

/**
 * Events that are recorded when a status is reached. The other statuses have no event of their own: a client reads them from
 * the invoice, or learns of them from the events of its payments.
 */
const ANNOUNCED: Partial<Record<InvoiceRow['status'], EventType>> = {
  sent: 'invoice.sent',
  paid: 'invoice.paid',
  overdue: 'invoice.overdue',
  cancelled: 'invoice.cancelled',
};

/**
 * Applies changes to existing invoices. It is the only function that changes them: status, row and event in one transaction.
 */
export async function applySteps(tx: Tx, at: number, steps: readonly Step[]): Promise<InvoiceRow[]> {
  if (steps.length === 0) return [];
  const moved = steps.map((step) => ({ before: step.before, after: after(step, new Date(at)) }));
  const rows = moved.map(({ after: row }) => row);
  await updateInvoices(tx, rows);
  const events = moved.flatMap(({ before, after: row }) => {
    const type = before.status === row.status ? undefined : ANNOUNCED[row.status];
    return type ? [eventOf(row, type)] : [];
  });
  await recordEvents(tx, ENVIRONMENT, at, events);
  return rows;
}

function after({ before, changes, trigger }: Step, now: Date): InvoiceRow {
  const status = (trigger && nextInvoiceStatus(before.status, trigger)) ?? before.status;
  const reached = status !== before.status;
  return {
    ...before,
    ...changes,
    status,
    paid_at: reached && status === 'paid' ? now : before.paid_at,
    cancelled_at: reached && status === 'cancelled' ? now : before.cancelled_at,
    event_count: before.event_count + (reached && ANNOUNCED[status] ? 1 : 0),
    updated_at: now,
  };
}

/**
 * Returns an event of an invoice.
 * @param row has an `event_count` that already includes this event
 */
export function eventOf(row: InvoiceRow, type: EventType): NewEvent {
  return { team_id: row.team_id, type, resource_id: row.id, sequence: row.event_count, data: presentInvoice(row) };
}
