import type { presentInvoice } from '../../../invoices/present.ts';
import type { InvoiceStatus } from '../../../invoices/states.ts';
import type { Html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { INVOICE_TEXTS } from './texts.ts';

/** An invoice as the API shows it. */
export type Invoice = ReturnType<typeof presentInvoice>;

/**
 * Returns the invoice that the path names.
 * @throws Problem 404
 */
export async function invoiceOf(visit: TeamVisit): Promise<Invoice> {
  const { body } = await visit.api('GET /invoices/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { invoice: Invoice }).invoice;
}

const TONES: Record<InvoiceStatus, Tone> = {
  draft: 'idle',
  sent: 'info',
  viewed: 'info',
  partial: 'info',
  paid: 'good',
  overdue: 'bad',
  cancelled: 'idle',
};

/** Renders the status of an invoice. */
export function invoiceBadge(status: InvoiceStatus, language: ConsoleLanguage): Html {
  return badge(INVOICE_TEXTS[language].statuses[status], TONES[status]);
}

/** Returns the displayed recipient of an invoice. */
export function recipientOf({ recipient, customer }: Invoice): string {
  return recipient.name ?? recipient.email ?? recipient.phone ?? customer;
}
