import { createHash } from 'node:crypto';
import type { Callback, PollPlan, RawCallback } from '../contract.ts';
import type { Environment } from '../../kit/environment.ts';
import { idInAddress } from '../wire/addresses.ts';

/** A prompt lives for some minutes, a link for ten; Orange publishes no rate for asking. */
export const POLLS: PollPlan = { first_ms: 5_000, factor: 1.5, longest_ms: 300_000 };

/** How long what was sent may still be on its way: nobody waits that long for a prompt or a link. */
export const GRACE_MS = 600_000;

const LONGEST_ORDER_ID = 30;

/** The order_id of one of our ids: unique for the merchant, and at most 30 characters. */
export function orderIdOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, LONGEST_ORDER_ID);
}

/** Orange signs nothing: whatever a callback says, it only makes us ask. Only its address tells what it is about. */
export function readCallback(raw: RawCallback, environment: Environment): Callback {
  const id = idInAddress(raw.url, environment);
  return { kind: 'hint', subject: id === null ? null : { by: 'provider_key', value: orderIdOf(id) } };
}
