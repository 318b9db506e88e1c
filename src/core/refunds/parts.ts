import type { RefundPart, RefundRow } from './schema.ts';
import { isFinal } from './states.ts';

/**
 * Returns the refund part that is next: the one that is with its provider, else the next one to be sent. No part is sent beside
 * another, after one that failed, or once the refund has ended.
 * @returns its index, or null when nothing is to be done
 */
export function currentPart({ legs, status }: Pick<RefundRow, 'legs' | 'status'>): number | null {
  const sent = legs.findIndex((leg) => leg.status === 'sent');
  if (sent >= 0) return sent;
  if (isFinal(status) || legs.some((leg) => leg.status === 'failed')) return null;
  const waiting = legs.findIndex((leg) => leg.status === 'waiting');
  return waiting >= 0 ? waiting : null;
}

/** Whether a part may still succeed at its provider. */
export function isUndecided({ legs }: Pick<RefundRow, 'legs'>): boolean {
  return legs.some((leg) => leg.status === 'sent');
}

/** Returns the amount that has not reached the payer, in hundredths. */
export function unspentOf({ legs }: Pick<RefundRow, 'legs'>): bigint {
  return legs.filter((leg) => leg.status !== 'succeeded').reduce((sum, leg) => sum + leg.amount_minor, 0n);
}

/** Returns the refund with one of its parts (`leg`) changed. */
export function withPart(row: RefundRow, index: number, change: Partial<RefundPart>): RefundRow {
  return { ...row, legs: row.legs.map((leg, i) => (i === index ? { ...leg, ...change } : leg)) };
}
