import { randomFillSync } from 'node:crypto';

// One call to the kernel's generator serves many ids.
const pool = Buffer.allocUnsafe(16 * 256);
let used = pool.length;

/** Returns random hexadecimal digits, at most 32. */
export function randomHex(digits: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const text = pool.toString('hex', used, used + digits / 2);
  used += 16;
  return text;
}

/** Returns a UUID of version 7 as 32 hexadecimal digits: 48 bits of milliseconds, then 74 random bits. */
export function newUuid(at: number): string {
  const random = randomHex(20);
  return `${at.toString(16).padStart(12, '0')}7${random.slice(1, 4)}8${random.slice(5)}`;
}
