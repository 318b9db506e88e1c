import type { StatementFormat } from '../statement.ts';

/**
 * The wallet statement of the dashboard: its columns are those of docs.pawapay.io/dashboard/finances/statements. That page
 * shows no example, so the words of `Type` are those of their API. What stands in it has moved money.
 */
export const statement: StatementFormat = {
  columns: { flow: 'type', key: 'transaction id', amount: 'amount', currency: 'currency', at: 'creation date' },
  flows: { deposit: 'collect', payout: 'payout', refund: 'refund' },
  statuses: {},
  zone: 'utc',
};
