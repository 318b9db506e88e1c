import { type AttemptRow, isOpen } from './schema.ts';

/**
 * Who causes a prompt on a payer's phone, from the least to the most trusted: a public key, or the page of a payment that no secret
 * key made; the page of one that a secret or restricted key made; such a key itself.
 */
export const PROMPTERS = ['public', 'page', 'private'] as const;
export type Prompter = (typeof PROMPTERS)[number];

/** The reason of an attempt that was closed because its provider knew nothing of it; no provider ends one like this. */
export const NEVER_ARRIVED = 'channel_unavailable';

/** Whether it was taken for one that never reached its provider. */
export function neverArrived({ status, reason }: Pick<AttemptRow, 'status' | 'reason'>): boolean {
  return status === 'expired' && reason === NEVER_ARRIVED;
}

/** Whether money may still move by it: it is open, or it was closed and its provider has it after all. */
export function isUnderWay(attempt: Pick<AttemptRow, 'status' | 'next_poll_at'>): boolean {
  return isOpen(attempt) || attempt.next_poll_at !== null;
}
