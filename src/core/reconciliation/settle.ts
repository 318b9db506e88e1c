import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import type { Store } from '../../platform/db/stores.ts';
import type { Clock } from '../../kit/clock.ts';
import { notFound, Problem } from '../../kit/errors.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { type Account, account } from '../../money/ledger/accounts.ts';
import { InsufficientBalance, type Journal, post } from '../../money/ledger/post.ts';
import { suspenseKey, suspenseOf } from '../../money/ledger/suspense.ts';
import { type Arrival, repayCredit } from '../../money/settlement/credit.ts';
import { proRata, unitOf } from '../../money/settlement/shares.ts';
import { changeUses } from '../../money/transaction-limits/service.ts';
import { recordShownPaid } from '../transfers/late.ts';
import { correctionsOf, intoHold } from './corrections.ts';
import { type Owner, ownersOf, payoutOf, TEAM } from './owners.ts';
import type { BreakRow, SettledAs } from './schema.ts';
import { bookedOf, lockBreak, findRunAccount, nameOf, writeOutcomes } from './store.ts';

const PLACES: Record<Exclude<SettledAs, 'merchant'>, Account> = {
  platform: account('fee_income', null),
  undone: account('clearing', null),
};

/** An account to which a decision assigns a part of an amount. */
interface Place {
  place: Account;
  amount_minor: Minor;
}

/** Divides an amount by a decision; `merchant` is the available balance of each owner. */
function placesOf(as: SettledAs, owners: readonly Owner[], currency: string, amount_minor: Minor): Place[] {
  if (as !== 'merchant') return [{ place: PLACES[as], amount_minor }];
  const weights = owners.map(({ weight }) => weight);
  const parts = proRata(amount_minor, weights, unitOf(currency));
  // An owner whose part is zero is left out: the amount may be smaller than the number of owners.
  return owners.flatMap((owner, i) => (parts[i] ? [{ place: availableOf(owner), amount_minor: parts[i] }] : []));
}

function availableOf({ account_id }: Owner): Account {
  return account('available', account_id || null);
}

/**
 * Returns the journal that moves a correction out of `hold` (suspense). Each correction can be settled once.
 * @param owners whose available balance is meant by `merchant`
 */
export function settlementOf(correction: Journal, as: SettledAs, owners: readonly Owner[] = TEAM): Journal {
  const hold = account('hold', null);
  const postings = correction.postings.flatMap(({ credit, amount_minor }) =>
    placesOf(as, owners, correction.currency, amount_minor).map(({ place, amount_minor: part }) =>
      credit === hold ? { debit: hold, credit: place, amount_minor: part } : { debit: place, credit: hold, amount_minor: part },
    ),
  );
  return { ...correction, kind: `reconciliation.settled:${correction.kind}`, postings };
}

/**
 * Returns the credit events of a settlement, one for each owner to whom money arrives. A break in two currencies has one source for each,
 * because credit is repaid once for each source.
 */
function arrivalsOf({ team_id, currency, kind, source_id, subject_id, postings }: Journal, owners: readonly Owner[]): Arrival[] {
  return owners
    .filter((owner) => postings.some(({ credit, amount_minor }) => credit === availableOf(owner) && amount_minor > 0n))
    .map(({ account_id }) => ({ team_id, currency, account_id, source_id: `${source_id}:${kind}`, subject_id }));
}

/**
 * Assigns the money of a break in `hold` (suspense) to its owner, by a manual decision. Money missing at the provider
 * is taken from the same place, as far as the available balance of each owner covers it.
 * @throws Problem 404 no such break, 400 nothing of it is in hold, another amount is, it is settled already, or the balance does not
 * cover it
 */
export async function settleBreak(
  deps: { clock: Clock },
  store: Store,
  ref: Pick<BreakRow, 'team_id' | 'run_id' | 'id'>,
  decision: { as: SettledAs; evidence: string; author: string },
  by: Actor,
): Promise<{ row: BreakRow; journals: Journal[] }> {
  return store.db.transaction(async (tx) => {
    const row = await lockBreak(tx, ref);
    const provider_account = row && (await findRunAccount(tx, ref));
    if (!row || !provider_account) throw notFound();
    const corrections = correctionsOf({ team_id: ref.team_id, id: ref.run_id, provider_account }, row);
    const owners = await ownersOf(tx, row);
    const journals = corrections.map((correction) => settlementOf(correction, decision.as, owners));
    const booked = await bookedOf(tx, ref.team_id, [...corrections, ...journals]);
    const isBooked = (journal: Journal) => booked.has(nameOf(journal));
    if (corrections.length === 0 || !corrections.every(isBooked)) throw new Problem(400, 'Nothing of the break is in hold.');
    if (journals.some(isBooked)) throw new Problem(400, 'The break is settled already.');
    const held = await suspenseOf(tx, ref.team_id, corrections);
    // Another statement may name another amount for the same movement.
    if (corrections.some((correction) => held.get(suspenseKey(correction)) !== intoHold(correction)))
      throw new Problem(400, 'Another amount is in hold: settle the break of the run that set it aside.');
    if (decision.as !== 'undone') await recordLatePayout(tx, deps.clock.now(), row);
    const posted = await post(tx, journals).catch((error: unknown) => {
      throw error instanceof InsufficientBalance ? uncovered(owners) : error;
    });
    if (posted.length < journals.length) throw new Problem(400, 'The break is settled already.');
    await repayCredit(
      tx,
      journals.flatMap((journal) => arrivalsOf(journal, owners)),
    );
    const action = 'reconciliation.settle';
    await record(tx, by, { team_id: ref.team_id, action, resource_id: `${ref.run_id}:${ref.id}`, at: deps.clock.now() });
    const outcome = `settled as ${decision.as} by ${decision.author}: ${decision.evidence}`;
    await writeOutcomes(tx, [{ row, state: 'settled', outcome }]);
    return { row, journals };
  });
}

/**
 * Records that a payout was paid after it had ended without money, whoever bears the amount: its recipient has it. It counts
 * towards the transaction limits again, because its end had released that. They are locked after the payout and before balances, as
 * everywhere in the code.
 */
async function recordLatePayout(tx: Tx, at: number, row: BreakRow): Promise<void> {
  const payout = row.kind === 'late' ? await payoutOf(tx, row) : undefined;
  if (!payout) return;
  await recordShownPaid(tx, at, payout, { amount_minor: row.there_minor, currency: row.there_currency });
  const { team_id, currency, counted_day: day, amount_minor } = payout;
  if (day !== null) await changeUses(tx, [{ team_id, direction: 'transfer', currency, day, amount_minor }]);
}

function uncovered(owners: readonly Owner[]): Problem {
  const whose = owners.map(({ account_id }) => account_id || 'the team').join(' or ');
  return new Problem(400, `The available balance of ${whose} does not cover it.`);
}
