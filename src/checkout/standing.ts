import { type Hosted, openAttempt } from '../payments/hosted.ts';
import { isChargeable } from '../payments/charge.ts';
import { isFinal } from '../payments/states.ts';
import { channelById } from '../reference/channels.ts';
import type { FinalStatus } from './views/result.ts';

/** How a payment stands for its page. */
export type Standing =
  | { kind: 'final'; status: FinalStatus }
  /** Nothing is under way: the payer can choose. */
  | { kind: 'open' }
  | { kind: 'under_way' };

/**
 * A window that has closed counts at once, not only when the sweep comes by a second later. Of a payment in pieces the
 * worker sends the next one by itself (`continue_at`); after a declined one it is the payer who goes on.
 */
export function standingOf({ payment, attempts }: Hosted, now: number): Standing {
  if (isFinal(payment.status)) return { kind: 'final', status: payment.status as FinalStatus };
  if (openAttempt(attempts) || !isChargeable(payment) || payment.continue_at !== null) return { kind: 'under_way' };
  return payment.expires_at.getTime() <= now ? { kind: 'final', status: 'expired' } : { kind: 'open' };
}

/** What the status route tells and a waiting page compares: no more than the page itself shows to everybody. */
export function progressOf(hosted: Hosted, now: number): { status: string; step: string; attempt: number } {
  const standing = standingOf(hosted, now);
  const status = standing.kind === 'final' ? standing.status : hosted.payment.status;
  return { status, step: openAttempt(hosted.attempts)?.action?.kind ?? 'none', attempt: hosted.attempts.length };
}

/** A card charge of the sandbox waits on our own page: for the test card, or for the authentication step. */
export function awaitsCard({ store, attempts }: Hosted): boolean {
  const attempt = openAttempt(attempts);
  if (store.environment !== 'sandbox' || attempt?.action?.kind !== 'redirect') return false;
  return channelById(attempt.channel)?.kind === 'card';
}
