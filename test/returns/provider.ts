import type {
  Payout,
  PayoutOutcome,
  Payouts,
  Refund,
  RefundOutcome,
  Refunds,
  Submission,
} from '../../src/providers/adapters/contract.ts';
import type { TestProvider } from '../setup/providers.ts';

/** A provider that answers what the test wrote down; what is not written down is unknown. */
export class Scripted implements TestProvider {
  readonly name: string;
  /** Whether it takes charges. */
  collecting = true;
  readonly refunded: Refund[] = [];
  readonly paidOut: Payout[] = [];
  onRefund: RefundOutcome = { kind: 'succeeded', provider_ref: 'r-1' };
  onRefundRead: RefundOutcome = { kind: 'failed', reason: 'operator_declined', message: 'refused for good' };
  onPayout: PayoutOutcome | null = null;
  onPayoutRead: PayoutOutcome = { kind: 'unknown', message: 'no answer' };
  refunds?: Refunds;
  payouts?: Payouts;

  constructor(name: string, abilities: readonly ('refunds' | 'payouts')[]) {
    this.name = name;
    if (abilities.includes('refunds')) {
      this.refunds = {
        extent: 'partial',
        submit: async (refund) => {
          this.refunded.push(refund);
          return this.onRefund;
        },
        read: async () => this.onRefundRead,
      };
    }
    if (abilities.includes('payouts')) {
      this.payouts = {
        reaches: () => true,
        submit: async (payout) => {
          this.paidOut.push(payout);
          const { amount_minor, currency } = payout;
          return this.onPayout ?? { kind: 'succeeded', provider_ref: 'p-1', amount_minor, currency };
        },
        read: async () => this.onPayoutRead,
      };
    }
  }

  readonly collects = (): boolean => this.collecting;

  async submit(): Promise<Submission> {
    return { kind: 'refused', reason: 'operator_declined', message: 'declined' };
  }

  async read() {
    return { kind: 'unreadable', message: 'not asked' } as const;
  }
}
