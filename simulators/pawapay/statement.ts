import { amountOf, type StatementForm } from '../kit/statement.ts';

const TYPES = { collect: 'DEPOSIT', payout: 'PAYOUT', refund: 'REFUND' } as const;

/** Format of the dashboard's wallet statement. It lists what moved money, with times in UTC that do not contain the zone. */
export const walletStatement: StatementForm = {
  head: ['Creation Date', 'MSISDN', 'Transaction ID', 'Amount', 'Currency', 'Country', 'MNO', 'Type'],
  row: ({ kind, key, amount_minor, currency, at, state }) => {
    if (state === 'failed') return null;
    const created = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
    return [created, '', key, amountOf(amount_minor), currency, '', '', TYPES[kind]];
  },
};
