import { createHash } from 'node:crypto';
import type { Callback, PollPlan, RawCallback } from '../contract.ts';
import type { Environment } from '../../../kit/environment.ts';
import { idInAddress } from '../wire/addresses.ts';

/** A prompt expires after some minutes, a payment link after ten. Orange publishes no rate limit for status calls. */
export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, longest_ms: 300_000 };

/** The period in which a submitted request may still be in transit. No prompt and no link is valid for longer. */
export const GRACE_MS = 600_000;

const MAX_ORDER_ID = 30;

/** Returns the order_id derived from one of our ids: unique for the merchant, and at most 30 characters. */
export function orderIdOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, MAX_ORDER_ID);
}

/**
 * Parses a callback. Orange signs nothing, so a callback only triggers a status read. The attempt is identified by the
 * callback address.
 */
export function readCallback(raw: RawCallback, environment: Environment): Callback {
  const id = idInAddress(raw.url, environment);
  return { kind: 'hint', subject: id === null ? null : { by: 'provider_key', value: orderIdOf(id) } };
}
