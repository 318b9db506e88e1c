import type { EventType } from '../events/catalogue.ts';
import { type NewEvent, recordEvents } from '../events/record.ts';
import type { Environment } from '../kit/environment.ts';
import type { Tx } from '../kit/sql.ts';
import { presentInvoice } from './present.ts';
import type { InvoiceRow } from './schema.ts';
import { type InvoiceTrigger, nextInvoiceStatus } from './states.ts';
import { updateInvoices } from './store.ts';

/** Invoices exist in live only. */
export const ENVIRONMENT: Environment = 'live';

/** One change of an invoice that is locked. */
export interface Step {
  before: InvoiceRow;
  /** What the change brings besides the status. */
  changes?: Partial<InvoiceRow>;
  /** Left out, or not foreseen in this status: the status stays. */
  trigger?: InvoiceTrigger;
}

/** What a status is announced as when it is reached; the others are read in the invoice, or told by its payments. */
const ANNOUNCED: Partial<Record<InvoiceRow['status'], EventType>> = {
  sent: 'invoice.sent',
  paid: 'invoice.paid',
  overdue: 'invoice.overdue',
  cancelled: 'invoice.cancelled',
};

/** The one door through which an invoice that exists changes: status, row and event in one transaction. */
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

/** @param row with the count of this event in it */
export function eventOf(row: InvoiceRow, type: EventType): NewEvent {
  return { team_id: row.team_id, type, resource_id: row.id, sequence: row.event_count, data: presentInvoice(row) };
}
