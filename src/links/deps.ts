import type { PaymentDeps } from '../payments/deps.ts';

/** The dependencies of payment links and their pages. */
export type LinkDeps = PaymentDeps;
