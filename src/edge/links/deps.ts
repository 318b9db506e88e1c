import type { PaymentDeps } from '../../core/payments/deps.ts';

/** The dependencies of payment links and their pages. */
export type LinkDeps = PaymentDeps;
