export const INVOICE_STATUSES = ['draft', 'sent', 'viewed', 'partial', 'paid', 'overdue', 'cancelled'] as const;

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const INVOICE_TRIGGERS = [
  /** it left for the customer, with its number */
  'sent',
  /** the same once more */
  'reminded',
  /** its page was opened */
  'viewed',
  /** some of it is paid, not all */
  'part_paid',
  'paid_up',
  /** what had been paid of it went back */
  'emptied',
  /** the due date is over */
  'due_passed',
  /** the merchant wants no money for it any more */
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
  // A part does not make it less late; the whole, however late, makes it paid.
  overdue: { reminded: 'overdue', part_paid: 'overdue', emptied: 'overdue', paid_up: 'paid', cancelled: 'cancelled' },
  // A refund of what was paid does not ask for the money again: whoever wants it makes another invoice.
  paid: {},
  cancelled: {},
};

/** The status after it, or null when the trigger changes nothing in this status. */
export function nextInvoiceStatus(status: InvoiceStatus, trigger: InvoiceTrigger): InvoiceStatus | null {
  return TABLE[status][trigger] ?? null;
}

/** Whether money is still asked for. */
export function isPayable(status: InvoiceStatus): boolean {
  return nextInvoiceStatus(status, 'paid_up') !== null;
}
