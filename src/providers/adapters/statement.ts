import type { Minor } from '../../kit/money.ts';

/** Kind of money movement. */
export type Flow = 'collect' | 'payout' | 'refund';

/** One transaction of a provider statement. At least one of `key` and `reference` is set. */
export interface StatementLine {
  flow: Flow;
  /** The key under which we sent it to the provider. */
  key: string | null;
  /** The provider's own reference. */
  reference: string | null;
  amount_minor: Minor;
  currency: string;
  /** The fee charged by the provider. */
  fee_minor: Minor;
  /** Milliseconds since the epoch. */
  at: number;
  status: 'succeeded' | 'failed' | 'pending';
}

/** A statement format: the names of its columns and the values in them. Matching ignores case. */
export interface StatementFormat {
  columns: {
    flow: string;
    key?: string;
    reference?: string;
    amount: string;
    currency: string;
    fee?: string;
    at: string;
    /** When omitted, every line of the statement counts as money moved. */
    status?: string;
  };
  /** Lines of any other kind (fees, top-ups) are counted and otherwise ignored. */
  flows: Readonly<Record<string, Flow>>;
  statuses: Readonly<Record<string, StatementLine['status']>>;
  /** `explicit`: timestamps include their time zone. `utc`: timestamps omit it and are in UTC. */
  zone: 'explicit' | 'utc';
}

/** The format into which every provider's statement can be converted (docs/reconciliation.md). */
export const NORMAL_FORMAT: StatementFormat = {
  columns: {
    ...{ flow: 'type', key: 'key', reference: 'reference', amount: 'amount' },
    ...{ currency: 'currency', fee: 'fee', at: 'at', status: 'status' },
  },
  flows: { collect: 'collect', payout: 'payout', refund: 'refund' },
  statuses: { succeeded: 'succeeded', failed: 'failed', pending: 'pending' },
  zone: 'explicit',
};
