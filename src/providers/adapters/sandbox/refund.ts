import type { Refund, RefundOutcome, Refunds } from '../contract.ts';
import { refundsFail, UNREFUNDABLE } from './codes.ts';

/** Returns the refunds of test mode, which complete immediately (docs/contract/sandbox.md). */
export function refunds(): Refunds {
  const decide = async (refund: Refund): Promise<RefundOutcome> =>
    refundsFail(refund.collection.payer ?? '') || refund.collection.provider_ref?.endsWith(UNREFUNDABLE)
      ? { kind: 'failed', reason: 'operator_declined', message: 'sandbox: operator_declined' }
      : { kind: 'succeeded', provider_ref: `sandbox-${refund.provider_key}` };
  return { extent: 'partial', submit: decide, read: decide };
}
