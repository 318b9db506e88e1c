import { holdsCard } from '../../kit/cards.ts';

/** Returns why a text is not a valid Idempotency-Key; null when it is valid. */
export function idempotencyKeyFault(key: string): string | null {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) return 'must be 1 to 255 visible ASCII characters';
  return holdsCard(key) ? 'looks like it holds a card number, which is never stored: choose another key' : null;
}
