import type { StatementFormat } from '../statement.ts';

/**
 * Format of the dashboard's wallet statement. The columns are those of docs.pawapay.io/dashboard/finances/statements.
 * That page has no example, so the values of `Type` are those of the API. Every line reports money moved.
 */
export const statement: StatementFormat = {
  columns: { flow: 'type', key: 'transaction id', amount: 'amount', currency: 'currency', at: 'creation date' },
  flows: { deposit: 'collect', payout: 'payout', refund: 'refund' },
  statuses: {},
  zone: 'utc',
};
