import type { Step as AnyStep } from '../explore.ts';
import { afterRefund, nextOf, payoutCalledBack } from './changes.ts';
import { type At, isOpen, needsWorker, type Ref, refsOf, type Return, type Rules, timesPaid, wayOf, withWay } from './world.ts';

/* What people decide about a return, each in one transaction. Whether the money is returned or kept is the same to the return. */

/** A person has returned the money, or lets the merchant keep it; or gets back what was returned too often. */
export function resolved(row: Return, at: At): Return | null {
  if (nextOf(row.state, 'resolved') === null || (row.late && row.state !== 'overpaid')) return null;
  const end = { state: 'resolved', times: 1, updated: at } as const;
  const step = (after: Return): Return => ({ ...after, step: needsWorker(after) ? at.n : null });
  if (row.state !== 'overpaid')
    return step({ ...row, ...end, manual: 'ended', hold: row.hold - 1, gone: row.gone + 1, by_hand: row.by_hand + 1 });
  const back = timesPaid(row) - 1;
  return step({ ...row, ...end, hold: row.hold + back, gone: row.gone - back, by_hand: row.by_hand - back });
}

/** A person lets the service try another payout. */
export function retried(row: Return, at: At): Return | null {
  if (row.state !== 'waiting') return null;
  const payout = row.current === null ? undefined : row.payouts[row.current];
  const recheck = row.recheck || payout?.resolved === true;
  return { ...row, state: 'owed', current: null, tried: false, claims: at.n, recheck, step: at.n, updated: at };
}

/** A person reports that what had failed was done after all. */
export function recordedLate(row: Return, ref: Ref, at: At): Return | null {
  const way = wayOf(row, ref);
  // Nothing is left to record of what has succeeded, and there is no evidence about what was never sent.
  if (way.status !== 'failed' || way.part === 'succeeded' || (way.part === 'waiting' && way.sent === null)) return null;
  return afterRefund(withWay(row, ref, { resolved: true }), ref, way, 'paid', at);
}

/** A person ends what is with its provider, or what its provider has turned away, as failed. */
export function endedByHand(row: Return, ref: Ref, at: At): Return | null {
  const way = wayOf(row, ref);
  if (!isOpen(way) || (way.part === 'sent' && way.sent?.ten === at.ten)) return null;
  const decided = withWay(row, ref, { resolved: true, unanswered: null, denied: true, carried: null });
  if (way.part === 'sent') {
    const refused = afterRefund(decided, ref, way, 'refused', at);
    // The callback about a payout may be unread; of a refund the person's word counts.
    return ref === 'refund' ? refused : payoutCalledBack(refused, false, at);
  }
  // It was turned away, or never sent: it ends, and is read once more if it was sent.
  const ended = afterRefund(withWay(decided, ref, { part: 'sent' }), ref, way, 'refused', at);
  if (way.sent === null) return withWay(ended, ref, { part: 'waiting' });
  return ref === 'refund' ? { ...ended, recheck: true, step: at.n, updated: at } : payoutCalledBack(ended, false, at);
}

/** Returns what a person can do now, if people still do anything. */
export function personSteps(row: Return, at: At, { ends }: Rules): AnyStep<Return>[] {
  const list: [string, Return | null][] = [
    ['a person decides', resolved(row, at)],
    ['a person lets the service try again', retried(row, at)],
  ];
  for (const ref of refsOf(row)) {
    const way = wayOf(row, ref);
    const isPaid = way.held[way.key] === 'paid';
    if (isPaid && way.part !== 'succeeded') list.push([`a person reports ${nameOf(ref)} as paid`, recordedLate(row, ref, at)]);
    if (ends && !isPaid) list.push([`a person ends ${nameOf(ref)} as failed`, endedByHand(row, ref, at)]);
  }
  return list.flatMap(([name, world]) => (world ? [{ name, world }] : []));
}

export function nameOf(ref: Ref): string {
  return ref === 'refund' ? 'the refund' : `payout ${ref}`;
}
