import { isUnderWay } from '../../core/attempts/schema.ts';
import { hadEnded, hasEndedUnpaid, hasSucceeded, type Move, type PaymentListener } from '../../core/payments/listeners.ts';
import { type Counted, countMoved } from './store.ts';
import { linkOf } from './uses.ts';

/**
 * Updates the counters of links, in the transaction in which their payments change. A successful payment keeps its use of the
 * link for ever. A payment that ends unpaid, or whose charge no provider accepted, releases its use. Money that arrives after the end
 * is automatically reversed to the payer, so it is not counted.
 */
export const countLinkPayments: PaymentListener = async (tx, _, moves) => {
  const counted = moves.flatMap(countedOf);
  if (counted.length > 0) await countMoved(tx, counted);
};

function countedOf(move: Move): Counted[] {
  const { after, attempts } = move;
  const link = linkOf(after);
  if (!link || hadEnded(move)) return [];
  const succeeded = hasSucceeded(move);
  const ended = succeeded || hasEndedUnpaid(move);
  // A payment with a captured tranche keeps its use for the other tranches.
  if (!ended && (after.status === 'partial' || attempts.some(isUnderWay))) return [];
  const collected_minor = succeeded ? after.amount_minor : 0n;
  return [{ ...link, payment_id: after.id, ended: ended ? 1 : 0, succeeded: succeeded ? 1 : 0, collected_minor }];
}
