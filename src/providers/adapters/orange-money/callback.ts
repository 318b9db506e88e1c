import type { Callback, RawCallback } from '../contract.ts';
import type { Environment } from '../../../kit/environment.ts';
import { idInAddress } from '../wire/addresses.ts';
import { orderIdOf } from './client.ts';

/**
 * Parses a callback. Orange signs nothing, so a callback only triggers a status read. The attempt is identified by the
 * callback address.
 */
export function verifyCallback(raw: RawCallback, environment: Environment): Callback {
  const id = idInAddress(raw.url, environment);
  return { kind: 'hint', subject: id === null ? null : { by: 'provider_key', value: orderIdOf(id) } };
}
