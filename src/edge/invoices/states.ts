export const INVOICE_STATUSES = ['draft', 'sent', 'viewed', 'partial', 'paid', 'overdue', 'cancelled'] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const INVOICE_TRIGGERS = [
  /** sent to the customer, with its number */
  'sent',
  /** sent again */
  'reminded',
  /** its page was opened */
  'viewed',
  /** partly paid */
  'part_paid',
  'paid_up',
  /** everything that was paid has been refunded */
  'emptied',
  /** the due date has passed */
  'due_passed',
  /** cancelled by the merchant */
  'cancelled',
] as const;

export type InvoiceTrigger = (typeof INVOICE_TRIGGERS)[number];

const TABLE: Record<InvoiceStatus, Partial<Record<InvoiceTrigger, InvoiceStatus>>> = {
  draft: { sent: 'sent', cancelled: 'cancelled' },
  sent: {
    reminded: 'sent',
    viewed: 'viewed',
    part_paid: 'partial',
    paid_up: 'paid',
    due_passed: 'overdue',
    cancelled: 'cancelled',
  },
  viewed: { reminded: 'viewed', part_paid: 'partial', paid_up: 'paid', due_passed: 'overdue', cancelled: 'cancelled' },
  partial: {
    reminded: 'partial',
    part_paid: 'partial',
    paid_up: 'paid',
    emptied: 'viewed',
    due_passed: 'overdue',
    cancelled: 'cancelled',
  },
  // A partial payment leaves the invoice overdue. Payment in full makes it paid, however late.
  overdue: { reminded: 'overdue', part_paid: 'overdue', emptied: 'overdue', paid_up: 'paid', cancelled: 'cancelled' },
  // A refund does not make the amount due again. The merchant issues a new invoice instead.
  paid: {},
  cancelled: {},
};

/** Returns the status after a trigger; null when the trigger changes nothing in this status. */
export function nextInvoiceStatus(status: InvoiceStatus, trigger: InvoiceTrigger): InvoiceStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Returns whether the invoice can still be paid. */
export function isPayable(status: InvoiceStatus): boolean {
  return nextInvoiceStatus(status, 'paid_up') !== null;
}
