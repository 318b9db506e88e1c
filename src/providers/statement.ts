import type { Minor } from '../kit/money.ts';

/** Which way the money went. */
export type Flow = 'collect' | 'payout' | 'refund';

/** What a provider's statement says of one transaction. At least one of key and reference is there. */
export interface StatementLine {
  flow: Flow;
  /** The key under which we sent it. */
  key: string | null;
  /** What the provider calls it. */
  reference: string | null;
  amount_minor: Minor;
  currency: string;
  /** What the provider took for it. */
  fee_minor: Minor;
  /** Milliseconds since the epoch. */
  at: number;
  status: 'succeeded' | 'failed' | 'pending';
}

/** How a statement is written: names of its columns and the words in them. Upper and lower case are the same. */
export interface StatementFormat {
  columns: {
    flow: string;
    key?: string;
    reference?: string;
    amount: string;
    currency: string;
    fee?: string;
    at: string;
    /** Left out: whatever stands in the statement has moved money. */
    status?: string;
  };
  /** Lines of another kind (fees, top-ups) are counted and left alone. */
  flows: Readonly<Record<string, Flow>>;
  statuses: Readonly<Record<string, StatementLine['status']>>;
  /** Moments are told without their zone. */
  zone: 'told' | 'utc';
}

/** The form that every provider's statement can be brought into (docs/reconciliation.md). */
export const NORMAL_FORMAT: StatementFormat = {
  columns: {
    ...{ flow: 'type', key: 'key', reference: 'reference', amount: 'amount' },
    ...{ currency: 'currency', fee: 'fee', at: 'at', status: 'status' },
  },
  flows: { collect: 'collect', payout: 'payout', refund: 'refund' },
  statuses: { succeeded: 'succeeded', failed: 'failed', pending: 'pending' },
  zone: 'told',
};
