import { createHmac } from 'node:crypto';
import { randomBase62 } from '../../kit/crypto.ts';
import { sealedPlace } from '../../kit/sealing.ts';

/** Creates a signing secret; 43 base62 characters carry 256 bits. */
export function newSecret(): string {
  return `whsec_${randomBase62(43)}`;
}

/** Returns the storage place that an endpoint's encrypted secret is bound to. */
export function secretPlace(team_id: bigint, endpoint_id: string): string {
  return sealedPlace('webhook_endpoints.secret_sealed', team_id, endpoint_id);
}

/**
 * Returns the value of X-Service-Signature (docs/contract/webhooks-and-signatures.md): HMAC-SHA256 over `<timestamp>.<raw body
 * bytes>`.
 * @param timestamp Unix seconds, as sent in X-Service-Timestamp
 */
export function signature(secret: string, timestamp: number, body: Buffer): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** A delivery as sent by the service and by `pirogue listen`. */
interface SignedDelivery {
  id: string;
  event_type: string;
  sequence: number;
  body: Buffer;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Returns the headers of one attempt (docs/contract/webhooks-and-signatures.md). */
export function deliveryHeaders(secret: string, delivery: SignedDelivery): Record<string, string> {
  const timestamp = Math.floor(delivery.at / 1000);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Pirogue/1',
    'X-Service-Signature': signature(secret, timestamp, delivery.body),
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Event': delivery.event_type,
    'X-Service-Delivery-Id': delivery.id,
    'X-Service-Sequence': String(delivery.sequence),
  };
}
