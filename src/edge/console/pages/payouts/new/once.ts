import type { Quote } from '../../../../../core/transfers/quote.ts';
import { keyOfAsked } from '../../../forms.ts';
import { type Movement, movedBefore } from '../../../money.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { OPERATION } from '../bulk/run.ts';
import { waitingSingles } from '../bulk/singles.ts';
import { knownPayouts } from '../known.ts';
import { recipientLine, sameness } from '../recipient.ts';

/**
 * Returns the idempotency key of a payout. It depends on the form, through both of its steps, and on its content. A first step that is
 * submitted again has the same key; one with a corrected amount has another.
 */
export function payoutKey({ formKey }: TeamVisit, { body }: Quote): string {
  return keyOfAsked(formKey, body);
}

/** Returns the earlier result of the form with the same content; null when there is none. */
export function payoutBefore(visit: TeamVisit, quote: Quote): Promise<Movement | null> {
  return movedBefore(visit, OPERATION, { idempotency_key: payoutKey(visit, quote), body: { ...quote.body } });
}

/** Returns whether the same amount was paid to the same number in the last 24 hours, or such a payout is in progress or waits. */
export async function isRepeated(deps: ConsoleDeps, visit: TeamVisit, quote: Quote): Promise<boolean> {
  const known = await knownPayouts(visit, visit.store.db, await waitingSingles(deps, visit), null);
  const { payee, amount_minor, body } = quote;
  return known.has(sameness({ recipient: recipientLine(payee.recipient), amount_minor, currency: body.currency }));
}
