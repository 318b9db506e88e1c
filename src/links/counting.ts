import { hasEndedUnpaid, hasSucceeded, type PaymentListener } from '../payments/listeners.ts';
import { countMoved, type Tally } from './store.ts';

/**
 * Updates the counters of links, in the transaction in which their payments end. A successful payment keeps its use of the
 * link; a payment that ends unpaid releases it. Money that arrives after that is automatically reversed to the payer, so it
 * is not counted either.
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
