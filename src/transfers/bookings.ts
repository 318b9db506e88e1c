import type { Journal, Posting } from '../ledger/post.ts';
import type { TransferRow } from './schema.ts';

/** Amount and fee are set aside in the transaction that makes the transfer. */
export function reservedJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.reserved', [
    { debit: 'available', credit: 'reserved', amount_minor: row.amount_minor + row.fee_minor },
  ]);
}

/** From before it is sent, the amount may be gone. */
export function dispatchedJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.dispatched', [{ debit: 'reserved', credit: 'in.transit', amount_minor: row.amount_minor }]);
}

export function succeededJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.succeeded', [
    { debit: 'in.transit', credit: 'clearing', amount_minor: row.amount_minor },
    { debit: 'reserved', credit: 'fee_income', amount_minor: row.fee_minor },
  ]);
}

/** Everything goes back, the fee too. @param row as it was before: its stage tells where the amount is */
export function returnedJournal(row: TransferRow): Journal {
  return journal(row, 'transfer.returned', [
    { debit: row.stage === 'dispatched' ? 'in.transit' : 'reserved', credit: 'available', amount_minor: row.amount_minor },
    { debit: 'reserved', credit: 'available', amount_minor: row.fee_minor },
  ]);
}

function journal({ team_id, id, currency }: TransferRow, kind: string, postings: Posting[]): Journal {
  return { team_id, kind, source_id: id, subject_id: id, currency, postings };
}
