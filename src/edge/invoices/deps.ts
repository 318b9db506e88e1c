import type { PaymentDeps } from '../../core/payments/deps.ts';

/** The dependencies of invoices and their pages. */
export type InvoiceDeps = PaymentDeps;
