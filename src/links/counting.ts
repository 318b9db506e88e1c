import { hasEndedUnpaid, hasSucceeded, type PaymentListener } from '../payments/listeners.ts';
import { countMoved, type Tally } from './store.ts';

/**
 * Counts what became of payments that came through links, in the transaction in which they became it. A payment that
 * succeeds keeps its use and one that ends without its money gives it back. A success after that is given back to the
 * payer, so it is none here either.
 */
export const countLinkPayments: PaymentListener = async (tx, _, moves) => {
  const tallies = new Map<string, Tally>();
  for (const move of moves) {
    const { team_id, key_id: id, amount_minor } = move.after;
    const succeeded = hasSucceeded(move);
    if (!id.startsWith('lnk_') || (!succeeded && !hasEndedUnpaid(move))) continue;
    const before = tallies.get(id) ?? { team_id, id, ended: 0, succeeded: 0, collected_minor: 0n };
    tallies.set(id, {
      ...before,
      ended: before.ended + 1,
      succeeded: before.succeeded + (succeeded ? 1 : 0),
      collected_minor: before.collected_minor + (succeeded ? amount_minor : 0n),
    });
  }
  if (tallies.size > 0) await countMoved(tx, [...tallies.values()]);
};
