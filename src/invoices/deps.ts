import type { PaymentDeps } from '../payments/deps.ts';

/** The dependencies of invoices and their pages. */
export type InvoiceDeps = PaymentDeps;
