import { countPaidLate } from '../../core/transfers/late-store.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import { type Family, gauge } from './exposition.ts';

const DAY_MS = 86_400_000;
const MAX_COUNTED = 10_000;

/** Counts the payouts of the last day that were paid late. */
export function readPaidLate(db: Queryable, at: number): Promise<number> {
  return countPaidLate(db, new Date(at - DAY_MS), MAX_COUNTED);
}

/** Returns the number of payouts of the last day that reached the recipient although their money had returned to the balance. */
export function paidLateFamily(answers: readonly (readonly [{ environment: Environment }, number | null])[]): Family {
  return gauge(
    'pirogue_payouts_paid_late',
    'Payouts of the last day that were paid after they had failed or been cancelled, up to 10000.',
    ['environment'],
    answers.flatMap(([{ environment }, count]) => (count === null ? [] : [[[environment], count] as const])),
  );
}
