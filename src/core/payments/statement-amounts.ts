import type { Tx } from '../../kit/sql.ts';
import type { Change } from './change.ts';
import type { AttemptRow } from '../attempts/schema.ts';
import type { PaymentRow } from './schema.ts';
import { type StatedAmount, statedAmounts, undecidedByStatement } from './statement-amounts-store.ts';

/** A change of a payment, computed from its rows under the lock. */
export interface Judged {
  payment: PaymentRow;
  own: AttemptRow[];
  change: Change;
}

/**
 * Removes mismatches that were already booked from a provider statement. A different amount that a statement showed before was
 * put in suspense then (`pirogue breaks settle` resolves it); when the provider reports it itself, it is the same money and is
 * not set aside again, unless a person has found the statement to be wrong.
 */
export async function withoutStated(tx: Tx, judged: Judged[]): Promise<Judged[]> {
  const sources = judged.flatMap(({ payment, change }) =>
    change.occurrences.some(({ kind }) => kind === 'mismatched')
      ? [{ team_id: payment.team_id, attempt_id: change.attempt?.id ?? '' }]
      : [],
  );
  if (sources.length === 0) return judged;
  const rows = await statedAmounts(tx, sources);
  const stated = new Set(rows.map((row) => nameOf(row.source_id, row)));
  return judged.map((one) => {
    const found = one.change.occurrences.find((occurrence) => occurrence.kind === 'mismatched');
    return found && stated.has(nameOf(found.attempt_id, found)) ? { ...one, change: known(one.change) } : one;
  });
}

/** Returns the attempts for which a statement has shown money that waits for a decision, of the payments that would expire. */
export function undecidedOfExpiring(tx: Tx, judged: readonly Judged[]): Promise<Set<string>> {
  const expiring = judged.filter(
    ({ payment, change }) =>
      (payment.status === 'pending' || payment.status === 'partial') &&
      change.occurrences.some(({ kind }) => kind === 'window_elapsed'),
  );
  return undecidedByStatement(
    tx,
    expiring.flatMap(({ own }) => own),
  );
}

/** Returns the change without its mismatch. */
function known(change: Change): Change {
  const occurrences = change.occurrences.filter(({ kind }) => kind !== 'mismatched');
  if (!change.attempt) return { ...change, occurrences };
  const { mismatch: _, mismatches: __, ...update } = change.attempt.update;
  return { ...change, occurrences, attempt: { ...change.attempt, update } };
}

function nameOf(attempt_id: string, { amount_minor, currency }: Pick<StatedAmount, 'amount_minor' | 'currency'>): string {
  return `${attempt_id} ${amount_minor} ${currency}`;
}
