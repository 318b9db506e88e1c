import type { Next, Reading } from '../contract.ts';

/**
 * Returns the reading of a charge for which a page or an account was opened and stored before. While it is pending, it has what the payer
 * has to do: the process that opened it may have died before it could say so.
 */
export function stillToPay(reading: Reading, next: Next): Reading {
  return reading.kind === 'pending' ? { ...reading, next } : reading;
}
