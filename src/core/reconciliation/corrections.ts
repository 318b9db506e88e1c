import { account } from '../../money/ledger/accounts.ts';
import type { Journal, Posting } from '../../money/ledger/post.ts';
import type { BreakRow, Run } from './schema.ts';

/** Kinds of the journals about outgoing money that is unknown here or moved twice. A statement lists it as payout or as refund. */
export const OUTGOING_KINDS: readonly string[] = ['reconciliation.unexpected:payout', 'reconciliation.unexpected:refund'];

/**
 * Returns the journals that adjust `clearing` to the statement, with `hold` (suspense) as the contra account:
 * unexplained money must not be spendable. Their sources are the same whichever statement contains the break, so a
 * correction is posted only once.
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
        // A line that is a duplicate in this statement may be the only one in the next: it is the same money. The values
        // are encoded, because they are external input and account names in the ledger contain slashes.
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

/** Returns the amount by which the provider's money exceeds the books, by currency. */
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

/** Returns by how much a correction changes suspense. */
export function intoHold({ postings }: Journal): bigint {
  return postings.reduce((sum, { credit, amount_minor }) => sum + (credit === 'hold' ? amount_minor : -amount_minor), 0n);
}
