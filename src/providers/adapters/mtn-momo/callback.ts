import type { Environment } from '../../../kit/environment.ts';
import { uuidOf } from '../../../kit/ids.ts';
import type { Callback, RawCallback, Subject } from '../contract.ts';
import { idInAddress } from '../wire/addresses.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Parses a callback. MTN signs nothing, so a callback only triggers a status read. It does not contain its
 * X-Reference-Id. Our own id is in the callback address. A refund is identified only by `externalId`, because a refund
 * has one key for each attempt it refunds.
 */
export function verifyCallback(raw: RawCallback, environment: Environment): Callback {
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
