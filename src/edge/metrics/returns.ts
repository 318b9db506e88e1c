import type { Environment } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import { OPEN_STATES, type OpenReturns } from '../../core/obligations/schema.ts';
import { countOpenReturns } from '../../core/returns/resolve.ts';
import { type Family, gauge, type Sample } from './exposition.ts';

const MAX_COUNTED = 10_000;

/** Counts the open returns by state, with the age of the oldest. */
export function readReturns(db: Queryable, at: number): Promise<OpenReturns[]> {
  return countOpenReturns(db, at, MAX_COUNTED);
}

/**
 * Returns the number of open returns by state and the age of the oldest; 0 where there are none, so that an alert can resolve.
 */
export function returnFamilies(answers: readonly (readonly [{ environment: Environment }, OpenReturns[] | null])[]): Family[] {
  const each = (value: (found: OpenReturns) => number): Sample[] =>
    answers.flatMap(([{ environment }, found]) =>
      (found ? OPEN_STATES : []).map((state): Sample => {
        const one = found?.find((open) => open.state === state);
        return [[environment, state], one ? value(one) : 0];
      }),
    );
  const labels = ['environment', 'state'];
  return [
    gauge(
      'pirogue_returns_open',
      'Captured money that has to go back and has not yet, up to 10000; waiting and overpaid need a person.',
      labels,
      each(({ count }) => count),
    ),
    gauge(
      'pirogue_returns_oldest_seconds',
      'Age of the oldest of them.',
      labels,
      each(({ oldest_seconds }) => oldest_seconds),
    ),
  ];
}
