import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import { type Account, account } from '../../money/ledger/accounts.ts';
import { InsufficientBalance, type Journal, post } from '../../money/ledger/post.ts';
import { suspenseKey, suspenseOf } from '../../money/ledger/suspense.ts';
import { type Arrival, repayCredit } from '../../money/settlement/credit.ts';
import { correctionsOf, intoHold } from './corrections.ts';
import type { BreakRow, SettledAs } from './schema.ts';
import { bookedOf, lockBreak, findRunAccount, nameOf, writeOutcomes } from './store.ts';

const PLACES: Record<SettledAs, Account> = {
  merchant: account('available', null),
  platform: account('fee_income', null),
  undone: account('clearing', null),
};

/** Returns the journal that moves a correction out of `hold` (suspense). Each correction can be settled once. */
export function settlementOf(correction: Journal, as: SettledAs): Journal {
  const place = PLACES[as];
  const hold = account('hold', null);
  const postings = correction.postings.map(({ credit, amount_minor }) =>
    credit === hold ? { debit: hold, credit: place, amount_minor } : { debit: place, credit: hold, amount_minor },
  );
  return { ...correction, kind: `reconciliation.settled:${correction.kind}`, postings };
}

function isArrival({ postings }: Journal): boolean {
  return postings.some(({ credit }) => credit === PLACES.merchant);
}

/**
 * Returns the credit event of a settlement. A break in two currencies has one source for each, because credit is
 * repaid once for each source.
 */
function arrivalOf({ team_id, currency, kind, source_id, subject_id }: Journal): Arrival {
  return { team_id, currency, account_id: '', source_id: `${source_id}:${kind}`, subject_id };
}

/**
 * Assigns the money of a break in `hold` (suspense) to its owner, by a manual decision. Money missing at the provider
 * is taken from the same place, as far as a merchant's available balance covers it.
 * @throws Problem 404 no such break, 400 nothing of it is in hold, another amount is, or the balance does not cover it
 */
export async function settleBreak(
  deps: { clock: Clock },
  store: Store,
  ref: Pick<BreakRow, 'team_id' | 'run_id' | 'id'>,
  decision: { as: SettledAs; evidence: string; author: string },
  by: Actor,
): Promise<{ row: BreakRow; journals: Journal[] }> {
  const work = store.db.transaction(async (tx) => {
    const row = await lockBreak(tx, ref);
    const provider_account = row && (await findRunAccount(tx, ref));
    if (!row || !provider_account) throw notFound();
    const corrections = correctionsOf({ team_id: ref.team_id, id: ref.run_id, provider_account }, row);
    const journals = corrections.map((correction) => settlementOf(correction, decision.as));
    const booked = await bookedOf(tx, ref.team_id, [...corrections, ...journals]);
    const isBooked = (journal: Journal) => booked.has(nameOf(journal));
    if (corrections.length === 0 || !corrections.every(isBooked)) throw new Problem(400, 'Nothing of the break is in hold.');
    if (journals.some(isBooked)) throw new Problem(400, 'The break is settled already.');
    const held = await suspenseOf(tx, ref.team_id, corrections);
    // Another statement may name another amount for the same movement.
    if (corrections.some((correction) => held.get(suspenseKey(correction)) !== intoHold(correction)))
      throw new Problem(400, 'Another amount is in hold: settle the break of the run that set it aside.');
    const posted = await post(tx, journals);
    if (posted.length < journals.length) throw new Problem(400, 'The break is settled already.');
    await repayCredit(tx, journals.filter(isArrival).map(arrivalOf));
    const action = 'reconciliation.settle';
    await record(tx, by, { team_id: ref.team_id, action, resource_id: `${ref.run_id}:${ref.id}`, at: deps.clock.now() });
    const outcome = `settled as ${decision.as} by ${decision.author}: ${decision.evidence}`;
    await writeOutcomes(tx, [{ row, state: 'settled', outcome }]);
    return { row, journals };
  });
  return work.catch((error: unknown) => {
    if (error instanceof InsufficientBalance) throw new Problem(400, 'The available balance does not cover it.');
    throw error;
  });
}
