import { account } from '../ledger/accounts.ts';
import type { Journal, Posting } from '../ledger/post.ts';
import type { BreakRow, Run } from './schema.ts';

/**
 * The journals that bring `clearing` to what the statement says, with `hold` on the other side: what nobody can explain
 * yet is nobody's to spend. Their sources are the same whichever statement shows the break, so it is posted once.
 */
export function correctionsOf(
  { team_id, id: run_id, provider_account }: Pick<Run, 'team_id' | 'id' | 'provider_account'>,
  row: BreakRow,
): Journal[] {
  const named = { team_id, subject_id: row.of_id ?? run_id };
  return [...differenceOf(row)].flatMap(([currency, amount_minor]) => {
    const postings = toHold(amount_minor);
    if (postings.length === 0) return [];
    switch (row.kind) {
      case 'missing_here':
      case 'duplicate': {
        // A line that is a duplicate in this statement may be the only one in the next: it is the same money.
        // Encoded: they come from outside, and places in the books are told with slashes.
        const source_id = [provider_account, ...[row.key, row.reference].map((name) => encodeURIComponent(name ?? ''))].join(':');
        return [{ ...named, kind: `reconciliation.unexpected:${row.flow}`, source_id, currency, postings }];
      }
      case 'amount':
        return [{ ...named, kind: `reconciliation.amount:${currency}`, source_id: sourceOf(row), currency, postings }];
      case 'late':
        return [{ ...named, kind: 'reconciliation.late', source_id: sourceOf(row), currency, postings }];
      default:
        return [];
    }
  });
}

function sourceOf({ subject_id, leg }: BreakRow): string {
  return leg === null ? `${subject_id}` : `${subject_id}:${leg}`;
}

/** By how much the provider holds more than the books say, by currency. */
function differenceOf(row: BreakRow): Map<string, bigint> {
  const sign = row.flow === 'collect' ? 1n : -1n;
  const differences = new Map<string, bigint>();
  const add = (currency: string | null, amount_minor: bigint) => {
    if (currency) differences.set(currency, (differences.get(currency) ?? 0n) + amount_minor);
  };
  add(row.there_currency, sign * (row.there_minor ?? 0n));
  if (row.kind === 'amount') add(row.here_currency, -sign * (row.here_minor ?? 0n));
  return differences;
}

function toHold(amount_minor: bigint): Posting[] {
  const [clearing, hold] = [account('clearing', null), account('hold', null)];
  if (amount_minor > 0n) return [{ debit: clearing, credit: hold, amount_minor }];
  return amount_minor < 0n ? [{ debit: hold, credit: clearing, amount_minor: -amount_minor }] : [];
}
