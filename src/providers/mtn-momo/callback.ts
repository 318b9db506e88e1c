import type { Environment } from '../../kit/environment.ts';
import { uuidOf } from '../../kit/ids.ts';
import type { Callback, RawCallback, Subject } from '../contract.ts';
import { idInAddress } from '../wire/addresses.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * MTN signs nothing, so a callback is a reason to go and look, whatever it says. It does not name its X-Reference-Id
 * either: our own id stands in the address it was sent to; a refund's is only in `externalId`, because a refund has a key
 * for each attempt it gives back.
 */
export function readCallback(raw: RawCallback, environment: Environment): Callback {
  const id = idInAddress(raw.url, environment);
  const value = id === null ? keyInBody(raw.body) : uuidOf(id);
  const subject: Subject | null = value === null ? null : { by: 'provider_key', value };
  return { kind: 'hint', subject };
}

function keyInBody(body: Buffer): string | null {
  try {
    const externalId = JSON.parse(body.toString('utf8'))?.externalId;
    return typeof externalId === 'string' && UUID.test(externalId) ? externalId : null;
  } catch {
    return null;
  }
}
