import { createHmac } from 'node:crypto';
import { randomBase62 } from '../kit/crypto.ts';

/** 43 base62 characters hold 256 bits. */
export function newSecret(): string {
  return `whsec_${randomBase62(43)}`;
}

/**
 * The value of X-Service-Signature (spec section 6): HMAC-SHA256 over `<timestamp>.<raw body bytes>`.
 * @param timestamp Unix seconds, as sent in X-Service-Timestamp
 */
export function signature(secret: string, timestamp: number, body: Buffer): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}
