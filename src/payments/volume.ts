import type { Use } from '../ceilings/service.ts';
import { type AttemptRow, isOpen } from './schema.ts';

/**
 * What news of an attempt changes about the team's ceilings: an attempt by which no money can move any more gives back what it
 * took when it began, and takes it again when money has moved after all.
 */
export function useOf(before: AttemptRow, after: AttemptRow): Use[] {
  const { team_id, currency, counted_day: day, amount_minor } = after;
  if (day === null || counts(before) === counts(after)) return [];
  return [{ team_id, direction: 'payment', currency, day, amount_minor: counts(after) ? amount_minor : -amount_minor }];
}

function counts(attempt: AttemptRow): boolean {
  return isOpen(attempt) || attempt.status === 'succeeded';
}
