import type { Use } from '../../money/transaction-limits/service.ts';
import { type AttemptRow, isOpen } from '../attempts/schema.ts';

/**
 * Returns how an update of an attempt changes the team's use of its transaction limits. An attempt by which no money can move
 * any more releases the amount reserved when it started, and reserves it again if money moved after all.
 */
export function useOf(before: AttemptRow, after: AttemptRow): Use[] {
  const { team_id, currency, counted_day: day, amount_minor } = after;
  if (day === null || counts(before) === counts(after)) return [];
  return [{ team_id, direction: 'payment', currency, day, amount_minor: counts(after) ? amount_minor : -amount_minor }];
}

function counts(attempt: AttemptRow): boolean {
  return isOpen(attempt) || attempt.status === 'succeeded';
}
