import { createHmac, timingSafeEqual } from 'node:crypto';

/** Wave's own tolerance: signatures that are older than this or further in the future are invalid. */
const OLDEST_S = 300;
const FURTHEST_AHEAD_S = 30;

/** Returns the signature header `t=<seconds>,v1=<hex>`. It covers the time and the body, without a separator. */
export function signatureOf(secret: string, body: string, now: number): string {
  const t = String(Math.floor(now / 1_000));
  return `t=${t},v1=${macOf(secret, t, Buffer.from(body)).toString('hex')}`;
}

/** Returns whether one of the header's signatures matches these bytes. There are several while Wave rotates the secret. */
export function isSigned(secret: string, header: string, body: Buffer, now: number): boolean {
  const parts = header.split(',').map((part) => part.trim());
  const t = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2);
  if (t === undefined) return false;
  const age_s = Math.floor(now / 1_000) - Number(t);
  if (age_s > OLDEST_S || age_s < -FURTHEST_AHEAD_S) return false;
  const expected = macOf(secret, t, body);
  const given = parts.filter((part) => /^v1=[0-9a-f]{64}$/i.test(part)).map((part) => Buffer.from(part.slice(3), 'hex'));
  return given.some((mac) => timingSafeEqual(mac, expected));
}

function macOf(secret: string, t: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update(t).update(body).digest();
}
