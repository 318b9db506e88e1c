import type { Quote } from '../../../../../core/transfers/quote.ts';
import { keyOfAsked } from '../../../forms.ts';
import { type Led, movedBefore } from '../../../money.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import type { TeamVisit } from '../../../page.ts';
import { OPERATION } from '../bulk/run.ts';
import { waitingSingles } from '../bulk/singles.ts';
import { knownPayouts } from '../known.ts';
import { recipientLine, sameness } from '../recipient.ts';

/**
 * Returns the idempotency key of a payout: of the form that was typed, through both of its steps, and of what it asks for. A first step that
 * is submitted again has the same key, and one with a corrected amount another.
 */
export function payoutKey({ formKey }: TeamVisit, { body }: Quote): string {
  return keyOfAsked(formKey, body);
}

/** Returns what the form has led to before with what it asks for now; null: nothing. */
export function payoutBefore(visit: TeamVisit, quote: Quote): Promise<Led | null> {
  return movedBefore(visit, OPERATION, payoutKey(visit, quote), { ...quote.body });
}

/** Whether the same amount was paid to the same number in the last 24 hours, or such a payout is under way or waits. */
export async function isRepeated(deps: ConsoleDeps, visit: TeamVisit, quote: Quote): Promise<boolean> {
  const known = await knownPayouts(visit, visit.store.db, await waitingSingles(deps, visit), null);
  const { payee, amount_minor, body } = quote;
  return known.has(sameness({ recipient: recipientLine(payee.recipient), amount_minor, currency: body.currency }));
}
