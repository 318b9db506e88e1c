import type { presentDispute } from '../../../../core/disputes/present.ts';
import type { DisputeStatus } from '../../../../core/disputes/states.ts';
import type { Html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { timeUntil } from '../../parts/format.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { DISPUTE_TEXTS } from './texts.ts';

/** A dispute as the API shows it. */
export type Dispute = ReturnType<typeof presentDispute>;

/**
 * Returns the dispute that the path names.
 * @throws Problem 404
 */
export async function disputeOf(visit: TeamVisit): Promise<Dispute> {
  const { body } = await visit.api('GET /disputes/:id', { params: { id: visit.params.id ?? '' } });
  return (body as { dispute: Dispute }).dispute;
}

const TONES: Record<DisputeStatus, Tone> = {
  needs_response: 'warn',
  under_review: 'info',
  won: 'good',
  lost: 'bad',
  closed: 'idle',
};

/** Renders the status of a dispute. */
export function disputeBadge(status: DisputeStatus, language: ConsoleLanguage): Html {
  return badge(DISPUTE_TEXTS[language].statuses[status], TONES[status]);
}

/** Returns whether the dispute is not decided yet. */
export function isOpenDispute({ status }: Dispute): boolean {
  return status === 'needs_response' || status === 'under_review';
}

/** Returns the time left to respond, in words; null when no response is needed. */
export function deadlineOf({ status, due_at }: Dispute, { at, language }: TeamVisit): string | null {
  if (status !== 'needs_response' || due_at === null) return null;
  const left_ms = Date.parse(due_at) - at;
  return left_ms <= 0 ? DISPUTE_TEXTS[language].over : timeUntil(left_ms, language);
}
