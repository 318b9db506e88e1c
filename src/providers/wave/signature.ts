import { createHmac, timingSafeEqual } from 'node:crypto';

/** Wave's own tolerance: a signature older than this, or from further ahead, is none. */
const OLDEST_S = 300;
const FURTHEST_AHEAD_S = 30;

/** `t=<seconds>,v1=<hex>`: over the time and the body, with nothing in between. */
export function signatureOf(secret: string, body: string, now: number): string {
  const t = String(Math.floor(now / 1_000));
  return `t=${t},v1=${macOf(secret, t, Buffer.from(body)).toString('hex')}`;
}

/** Whether one of the signatures of the header fits these bytes; there are several while Wave changes the secret. */
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
