import type { PaymentDeps } from '../../core/payments/deps.ts';

/** The dependencies of the hosted checkout page. */
export interface CheckoutDeps extends PaymentDeps {
  /** `leaving` changes once: when the process starts to shut down. */
  service: { leaving: boolean };
}
