import { type Account, type AccountName, account } from '../../money/ledger/accounts.ts';
import type { Journal, Posting } from '../../money/ledger/post.ts';
import type { TransferRow } from './schema.ts';

/** Returns an account of whoever pays the transfer: the team, or one of its subaccounts. */
export function payerAccount({ account_id }: Pick<TransferRow, 'account_id'>, name: AccountName): Account {
  return account(name, account_id);
}

/** Returns the journal that reserves amount and fee, in the transaction that creates the transfer. */
export function reservedJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.reserved', [
    {
      debit: payerAccount(row, 'available'),
      credit: payerAccount(row, 'reserved'),
      amount_minor: row.amount_minor + row.fee_minor,
    },
  ]);
}

/** Returns the journal posted before the transfer is sent: from then on the amount may have left. */
export function dispatchedJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.dispatched', [
    { debit: payerAccount(row, 'reserved'), credit: payerAccount(row, 'in.transit'), amount_minor: row.amount_minor },
  ]);
}

/** Returns the journal of a successful transfer. */
export function succeededJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.succeeded', [
    { debit: payerAccount(row, 'in.transit'), credit: 'clearing', amount_minor: row.amount_minor },
    { debit: payerAccount(row, 'reserved'), credit: 'fee_income', amount_minor: row.fee_minor },
  ]);
}

/**
 * Returns the journal that returns the whole amount, including the fee.
 * @param row the transfer before the change: its stage determines which ledger account holds the amount
 */
export function returnedJournal(row: TransferRow): Journal {
  const available = payerAccount(row, 'available');
  const held = payerAccount(row, row.stage === 'dispatched' ? 'in.transit' : 'reserved');
  return journal(row, 'transfer.returned', [
    { debit: held, credit: available, amount_minor: row.amount_minor },
    { debit: payerAccount(row, 'reserved'), credit: available, amount_minor: row.fee_minor },
  ]);
}

/**
 * Returns the journal of a transfer that reached its recipient after its money had returned to the balance. The fee is not charged.
 * @param covered_minor the part of the amount that `available` covers, in hundredths; the platform advances the rest
 */
export function paidLateJournal(row: TransferRow, covered_minor: bigint): Journal {
  return journal(row, 'transfer.paid_late', [
    { debit: payerAccount(row, 'available'), credit: 'clearing', amount_minor: covered_minor },
    { debit: payerAccount(row, 'credit'), credit: 'clearing', amount_minor: row.amount_minor - covered_minor },
  ]);
}

function journal({ team_id, id, currency }: TransferRow, kind: string, postings: Posting[]): Journal {
  return { team_id, kind, source_id: id, subject_id: id, currency, postings };
}
