import { type AttemptRow, isOpen } from '../payments/schema.ts';

/**
 * Who causes a prompt on a payer's phone, from the least to the most trusted. `public`: a public key, or the hosted page of a
 * payment that no secret key created. `page`: the hosted page of a payment created with a secret or restricted key. `private`:
 * such a key itself.
 */
export const PROMPTERS = ['public', 'page', 'private'] as const;
export type Prompter = (typeof PROMPTERS)[number];

/**
 * Reason of an attempt that was closed because its provider did not have it. No provider ends an attempt with this status and
 * reason.
 */
export const NEVER_ARRIVED = 'channel_unavailable';

/** Whether the attempt was closed because it apparently never reached its provider. */
export function neverArrived({ status, reason }: Pick<AttemptRow, 'status' | 'reason'>): boolean {
  return status === 'expired' && reason === NEVER_ARRIVED;
}

/** Whether the attempt may still move money: it is open, or it was closed but its provider has it after all. */
export function isUnderWay(attempt: Pick<AttemptRow, 'status' | 'next_poll_at'>): boolean {
  return isOpen(attempt) || attempt.next_poll_at !== null;
}
