import { isChargeable } from '../payments/refusals.ts';
import { type Hosted, openAttempt } from '../payments/hosted.ts';
import { isOpen } from '../payments/schema.ts';
import { isFinal } from '../payments/states.ts';
import type { Glimpse } from '../payments/watch.ts';
import { channelById } from '../reference/channels.ts';
import type { FinalStatus } from './views/result.ts';

/** As much of a payment as standing needs. */
type Seen = Pick<Glimpse, 'attempts'> & { payment: Pick<Glimpse['payment'], 'status' | 'expires_at' | 'continue_at'> };

/** What a waiting page compares: when it changes, the page is another one. */
export interface Progress {
  status: string;
  step: string;
  attempt: number;
}

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
export function standingOf({ payment, attempts }: Seen, now: number): Standing {
  if (isFinal(payment.status)) return { kind: 'final', status: payment.status as FinalStatus };
  if (attempts.some(isOpen) || !isChargeable(payment) || payment.continue_at !== null) return { kind: 'under_way' };
  return payment.expires_at.getTime() <= now ? { kind: 'final', status: 'expired' } : { kind: 'open' };
}

/** What the status route and the events tell: no more than the page itself shows to everybody. */
export function progressOf(seen: Seen, now: number): Progress {
  const standing = standingOf(seen, now);
  const status = standing.kind === 'final' ? standing.status : seen.payment.status;
  return { status, step: seen.attempts.find(isOpen)?.action?.kind ?? 'none', attempt: seen.attempts.length };
}

/** A card charge of the sandbox waits on our own page: for the test card, or for the authentication step. */
export function awaitsCard({ store, attempts }: Hosted): boolean {
  const attempt = openAttempt(attempts);
  if (store.environment !== 'sandbox' || attempt?.action?.kind !== 'redirect') return false;
  return channelById(attempt.channel)?.kind === 'card';
}
