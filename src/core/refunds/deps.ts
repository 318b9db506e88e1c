import type { PaymentDeps } from '../payments/deps.ts';

/** The dependencies of refunds. */
export type RefundDeps = PaymentDeps;
