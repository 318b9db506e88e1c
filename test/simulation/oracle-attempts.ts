import type { Shown, ShopView, Snapshot } from './snapshot.ts';

/** How an attempt may end without money, as far as its payment shows. */
const UNPAID = new Set(['failed', 'cancelled', 'expired', 'unavailable']);

/** Reason of an attempt that was closed because its provider did not show it: that proves little, and its money may come later. */
const NEVER_SHOWN = 'channel_unavailable';

/**
 * An attempt ends without money only if its provider has said so. One that collected, and had never ended it otherwise, did not: that it
 * turned one of several codes away, or that an answer was lost, is no such report. The payer would have the money back, and still be without
 * what it was for.
 */
export function judgeAttempts({ events }: ShopView, { moved }: Snapshot): string[] {
  const paid = new Set(moved.flatMap((one) => (one.flow === 'collect' && !one.late && !one.denied ? [one.subject] : [])));
  const wrong = new Map<string, string>();
  for (const { event, data } of events) {
    if (!event.startsWith('payment.')) continue;
    for (const { id, status, reason } of (data.attempts ?? []) as Shown[])
      if (paid.has(id) && UNPAID.has(status) && !(status === 'expired' && reason === NEVER_SHOWN)) wrong.set(id, status);
  }
  return [...wrong].map(([id, status]) => `ENDED: ${id} was shown as ${status}, which its provider never said: it collected`);
}
