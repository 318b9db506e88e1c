import { must, Problem } from '../../kit/errors.ts';
import type { ChargeGuard } from '../../core/payments/listeners.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import type { LinkRow } from './schema.ts';
import { holdsUse, type LinkRef, lockLink, takeUse } from './store.ts';

/** Whether a link can be paid once more. `full` is temporary: a charge under way can end unpaid. */
export type Uses = 'free' | 'full' | 'used';

/** Returns whether a link has a use left, by its counters. */
export function usesLeft({ max_uses, succeeded_count, held_count }: LinkRow): Uses {
  if (max_uses === null || succeeded_count + held_count < max_uses) return 'free';
  return succeeded_count < max_uses ? 'full' : 'used';
}

/** Returns the link that created a payment; null for a payment that comes from no link. */
export function linkOf({ team_id, key_id }: Pick<PaymentRow, 'team_id' | 'key_id'>): LinkRef | null {
  return key_id.startsWith('lnk_') ? { team_id, id: key_id } : null;
}

/**
 * Takes a use of the payment's link for a charge, under the link's lock, so that only one of two payers gets the last use. A payment
 * without a link needs no query.
 * @throws Problem 409 `link_full`, `link_used`
 */
export const takeLinkUse: ChargeGuard = async (tx, payment) => {
  const ref = linkOf(payment);
  if (!ref) return;
  // A payment that has a tranche keeps its use. It has none if that tranche arrived after the use had been given back.
  if (payment.status === 'partial' && (await holdsUse(tx, payment))) return;
  const left = usesLeft(must(await lockLink(tx, ref), 'links are never deleted'));
  if (left !== 'free') throw noUse(left);
  await takeUse(tx, ref, payment.id);
};

/** Returns the error 409 for a link without a free use. */
export function noUse(left: 'full' | 'used'): Problem {
  const why =
    left === 'used' ? 'has been paid as often as the merchant wanted' : 'has no use left while other charges are under way';
  return new Problem(409, `The payment link ${why}.`, { error_code: `link_${left}`, errors: { link: [why] } });
}
