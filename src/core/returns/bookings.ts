import { type Account, account } from '../../money/ledger/accounts.ts';
import type { Journal, Posting } from '../../money/ledger/post.ts';
import type { ResolvedAs, ReturnRow } from '../obligations/schema.ts';

const HOLD = account('hold', null);

/**
 * Returns the journals of a manual resolution, by whom the money belongs to. `returned` has none: the refund that carried it
 * posts its own. `kept`: the merchant keeps the money, with the payer's consent. The other two are for a return that was made
 * twice, so that its money is missing in `hold` (suspense). `recovered`: the payer gave it back. `absorbed`: the platform bears
 * the loss. A return may be resolved again later: each journal has a kind of its own (`return.absorbed:2`).
 * @param row the return before its resolution
 * @param times how many times its amount moves
 */
export function resolvedJournals(row: ReturnRow, as: ResolvedAs, times: number): Journal[] {
  const ways: Record<ResolvedAs, { debit: Account; credit: Account } | null> = {
    returned: null,
    kept: { debit: HOLD, credit: account('available', null) },
    recovered: { debit: account('clearing', null), credit: HOLD },
    absorbed: { debit: account('fee_income', null), credit: HOLD },
  };
  const way = ways[as];
  const before = row.resolutions.filter((earlier) => earlier === as).length;
  const kind = before === 0 ? `return.${as}` : `return.${as}:${before + 1}`;
  return way ? [journal(row, kind, { ...way, amount_minor: row.amount_minor * BigInt(times) })] : [];
}

function journal({ team_id, id, payment_id, currency }: ReturnRow, kind: string, posting: Posting): Journal {
  return { team_id, kind, source_id: id, subject_id: payment_id, currency, postings: [posting] };
}
