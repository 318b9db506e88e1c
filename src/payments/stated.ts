import type { Tx } from '../kit/sql.ts';
import type { Change } from './change.ts';
import type { AttemptRow, PaymentRow } from './schema.ts';
import { type StatedAmount, statedAmounts } from './stated-store.ts';

/** What was reported of a payment, judged by its rows under the lock. */
export interface Judged {
  payment: PaymentRow;
  own: AttemptRow[];
  change: Change;
}

/**
 * Another amount that a statement of the provider has shown before, and that was set aside then (`pirogue breaks settle` decides about
 * it), is the same money when the provider reports it itself: nothing more is set aside.
 */
export async function withoutStated(tx: Tx, judged: Judged[]): Promise<Judged[]> {
  const sources = judged.flatMap(({ payment, change }) =>
    change.happenings.some(({ kind }) => kind === 'mismatched')
      ? [{ team_id: payment.team_id, attempt_id: change.attempt?.id ?? '' }]
      : [],
  );
  if (sources.length === 0) return judged;
  const rows = await statedAmounts(tx, sources);
  const stated = new Set(rows.map((row) => nameOf(row.source_id, row)));
  return judged.map((one) => {
    const found = one.change.happenings.find((happening) => happening.kind === 'mismatched');
    return found && stated.has(nameOf(found.attempt_id, found)) ? { ...one, change: known(one.change) } : one;
  });
}

/** The change without what it sets aside. */
function known(change: Change): Change {
  const happenings = change.happenings.filter(({ kind }) => kind !== 'mismatched');
  if (!change.attempt) return { ...change, happenings };
  const { mismatch: _, mismatches: __, ...update } = change.attempt.update;
  return { ...change, happenings, attempt: { ...change.attempt, update } };
}

function nameOf(attempt_id: string, { amount_minor, currency }: Pick<StatedAmount, 'amount_minor' | 'currency'>): string {
  return `${attempt_id} ${amount_minor} ${currency}`;
}
