import type { Environment } from '../../kit/environment.ts';
import { type Family, gauge, type Sample } from './exposition.ts';
import type { AwaitedOutcomes } from './outcomes-store.ts';

/** Returns how many payments, refunds and payouts have no known outcome, and the age of the oldest of each; 0 where there is none. */
export function outcomeFamilies(
  answers: readonly (readonly [{ environment: Environment }, AwaitedOutcomes[] | null])[],
): Family[] {
  const each = (value: (awaited: AwaitedOutcomes) => number): Sample[] =>
    answers.flatMap(([{ environment }, all]) =>
      (all ?? []).map((awaited): Sample => [[environment, awaited.kind], value(awaited)]),
    );
  const labels = ['environment', 'kind'];
  return [
    gauge(
      'pirogue_outcomes_awaited',
      'Payments whose outcome is unknown or still open after their window, refunds and payouts that a provider has not ended, up to 10000 of each.',
      labels,
      each(({ count }) => count),
    ),
    gauge(
      'pirogue_outcomes_awaited_oldest_seconds',
      'Age of the oldest of them.',
      labels,
      each(({ oldest_seconds }) => oldest_seconds),
    ),
  ];
}
