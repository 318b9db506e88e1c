import type { RefundPart, RefundRow } from './schema.ts';
import { isFinal } from './states.ts';

/**
 * Returns the current part of a refund: the one that is with its provider, else the next one to send. No part is sent while
 * another is with its provider, after a part has failed, or after the refund has ended.
 * @returns its index, or null when nothing is to be done
 */
export function currentPart({ legs, status }: Pick<RefundRow, 'legs' | 'status'>): number | null {
  const sent = legs.findIndex((part) => part.status === 'sent');
  if (sent >= 0) return sent;
  if (isFinal(status) || legs.some((part) => part.status === 'failed')) return null;
  const waiting = legs.findIndex((part) => part.status === 'waiting');
  return waiting >= 0 ? waiting : null;
}

/** Whether a part may still succeed at its provider. */
export function isUndecided({ legs }: Pick<RefundRow, 'legs'>): boolean {
  return legs.some((part) => part.status === 'sent');
}

/** Returns the amount that has not reached the payer, in hundredths. */
export function unspentOf({ legs }: Pick<RefundRow, 'legs'>): bigint {
  return legs.filter((part) => part.status !== 'succeeded').reduce((sum, part) => sum + part.amount_minor, 0n);
}

/** Returns the refund with one of its parts changed. */
export function withPart(row: RefundRow, index: number, change: Partial<RefundPart>): RefundRow {
  return { ...row, legs: row.legs.map((part, i) => (i === index ? { ...part, ...change } : part)) };
}
