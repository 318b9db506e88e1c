import { account, type AccountName } from '../ledger/accounts.ts';
import { type Journal, lockBalances, type Posting, post } from '../ledger/post.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { owedByTeam, repayCredit } from './credit.ts';
import { feeOf } from './fee-store.ts';
import { proRata, proRataSoFar, unitOf } from './shares.ts';
import { changeItems, type ItemChange, type LockedItem, lockItems, type SettlementItem } from './store.ts';

/** The balance from which one part of an amount was drawn; stored with the refund or dispute so that it can be returned. */
export interface Draw {
  /** The connected subaccount; '' is the team itself. */
  account_id: string;
  bucket: 'pending' | 'available' | 'credit' | 'hold';
  amount_minor: Minor;
}

/** An amount to draw back from the parties of a payment. */
export interface Claim {
  team_id: bigint;
  payment_id: string;
  currency: string;
  amount_minor: Minor;
}

/**
 * Draws an amount back from the parties of a payment. The total drawn so far stays in proportion to what each party gives when the whole
 * payment goes back. Each party gives first from the part of its share that is still pending, then from `available`, then from `credit`
 * (an advance of the platform) up to the cap. The caller has locked the payment's row.
 * @param cap_minor maximum total credit of the team and its subaccounts, in hundredths; null: no limit
 * @returns the draws, or null when they do not cover the amount (nothing is changed then)
 */
export async function draw(tx: Tx, claim: Claim, cap_minor: Minor | null): Promise<Draw[] | null> {
  const items = await lockItems(tx, claim.team_id, claim.payment_id);
  const wanted = await divide(tx, claim, items);
  const parties = items.map((item) => item.account_id);
  // Every draw of the team locks the team's own `credit`, so that the sum over its parties cannot change after it is read.
  const locked = [name('credit', ''), ...parties.flatMap((party) => [name('available', party), name('credit', party)])];
  const balances = await lockBalances(tx, claim.team_id, claim.currency, [...new Set(locked)]);
  const draws: Draw[] = [];
  const uncovered: { account_id: string; amount_minor: Minor }[] = [];
  for (const [i, item] of items.entries()) {
    const account_id = item.account_id;
    let missing = wanted[i] as Minor;
    const take = (bucket: Draw['bucket'], most: Minor) => {
      const amount_minor = least(missing, most);
      if (amount_minor <= 0n) return;
      draws.push({ account_id, bucket, amount_minor });
      missing -= amount_minor;
    };
    take('pending', waitingOf(item));
    take('available', balances[name('available', account_id)] ?? 0n);
    if (missing > 0n) uncovered.push({ account_id, amount_minor: missing });
  }
  if (!(await isAdvanced(tx, claim, uncovered, cap_minor))) return null;
  draws.push(...uncovered.map((party): Draw => ({ ...party, bucket: 'credit' })));
  await changeItems(tx, claim.team_id, claim.payment_id, changesBy(draws, 'drawn'));
  return draws;
}

/**
 * Divides an amount among the parties of a payment. When the whole amount of the payment goes back, a subaccount gives what it received,
 * and the team gives the rest: what it received and the fee, which is not given back. A fee that the customer paid on top is not in the
 * amount; the team alone gives it when a chargeback takes it.
 */
async function divide(tx: Tx, claim: Claim, items: LockedItem[]): Promise<Minor[]> {
  if (items.length < 2) return items.map(() => claim.amount_minor);
  const { fee_minor, bearer } = await feeOf(tx, claim.team_id, claim.payment_id);
  const [kept_minor, on_top_minor] = bearer === 'merchant' ? [fee_minor, 0n] : [0n, fee_minor];
  const parties = items.map(({ account_id, share_minor, drawn_minor }) => ({
    weight: account_id === '' ? share_minor + kept_minor : share_minor,
    taken_minor: drawn_minor ?? 0n,
  }));
  return proRataSoFar(claim.amount_minor, parties, unitOf(claim.currency), on_top_minor);
}

/** Whether the platform may advance the uncovered amount. */
async function isAdvanced(
  tx: Tx,
  { team_id, currency }: Claim,
  uncovered: { amount_minor: Minor }[],
  cap_minor: Minor | null,
): Promise<boolean> {
  const missing = uncovered.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
  if (missing === 0n || cap_minor === null) return true;
  // The usual cap is 0. What is owed is a sum over the balances of all subaccounts, while every other draw of the team waits.
  if (missing > cap_minor) return false;
  return missing + (await owedByTeam(tx, team_id, currency)) <= cap_minor;
}

/**
 * Returns the pending part of a share. Nothing is drawn from a row whose pending amount exceeds its share: it is wrong and has
 * to be corrected.
 */
function waitingOf(item: SettlementItem): Minor {
  return item.released_at === null && item.amount_minor <= item.share_minor ? item.amount_minor : 0n;
}

/** The journal that returns drawn money. It is posted at most once for each source and kind. */
export interface Return extends Pick<Journal, 'team_id' | 'kind' | 'source_id' | 'currency'> {
  payment_id: string;
  /** The account that held the drawn money: the team's, or with `each` the account of that name of each party. */
  from: AccountName;
  each?: boolean;
}

/**
 * Returns drawn money to the balances it came from. Money drawn from a pending share becomes pending again, or available if the
 * share has been released since. Money drawn from credit becomes available, because the advance may have been repaid by now. All
 * money that becomes available is used to repay outstanding credit first. Items change only together with the journal; it is unique
 * by source and kind, so a second return writes nothing. The caller has locked the payment's row.
 */
export async function returnDrawn(tx: Tx, { payment_id, from, each, ...journal }: Return, draws: Draw[]): Promise<void> {
  const { team_id, currency, source_id } = journal;
  const items = await lockItems(tx, team_id, payment_id);
  const released = new Set(items.filter((item) => item.released_at !== null).map((item) => item.account_id));
  const waits = ({ bucket, account_id }: Draw) => bucket === 'pending' && !released.has(account_id);
  const back = draws.map((drawn): Draw => (drawn.bucket === 'hold' || waits(drawn) ? drawn : { ...drawn, bucket: 'available' }));
  const booked = await post(tx, [{ ...journal, subject_id: payment_id, postings: returnPostings(back, from, each) }]);
  if (booked.length === 0) return;
  await changeItems(tx, team_id, payment_id, changesBy(back, 'returned'));
  const arrived = new Set(back.filter(({ bucket }) => bucket === 'available').map(({ account_id }) => account_id));
  await repayCredit(
    tx,
    [...arrived].map((account_id) => ({ team_id, currency, account_id, source_id, subject_id: payment_id })),
  );
}

/**
 * Returns the draws to undo when only a part of the drawn money is returned. The amount is divided among the parties in
 * proportion to what each gave.
 * Within a party the last draw is returned first: the platform's advance, then available, then pending money.
 */
export function partOfDraws(draws: readonly Draw[], amount_minor: Minor, currency: string): Draw[] {
  const parties = [...Map.groupBy(draws, ({ account_id }) => account_id).values()];
  const given = parties.map((own) => own.reduce((sum, drawn) => sum + drawn.amount_minor, 0n));
  const unit = unitOf(currency);
  // Older draws may not be multiples of the currency's smallest amount. Those are divided in hundredths, so that no party gets
  // back more than it gave.
  const parts = proRata(amount_minor, given, given.every((gave) => gave % unit === 0n) ? unit : 1n);
  return parties.flatMap((own, i) => {
    let missing = parts[i] as Minor;
    return own.toReversed().flatMap((drawn) => {
      const part = least(drawn.amount_minor, missing);
      missing -= part;
      return part > 0n ? [{ ...drawn, amount_minor: part }] : [];
    });
  });
}

/**
 * Returns the postings of draws.
 * @param to the account that takes the money: the team's, or with `each` the account of that name of each party
 */
export function drawPostings(draws: Draw[], to: AccountName, each = false): Posting[] {
  return draws.map((drawn) => ({
    debit: name(drawn.bucket, drawn.account_id),
    credit: name(to, each ? drawn.account_id : ''),
    amount_minor: drawn.amount_minor,
  }));
}

function returnPostings(draws: Draw[], from: AccountName, each = false): Posting[] {
  return drawPostings(draws, from, each).map(({ debit, credit, amount_minor }) => ({
    debit: credit,
    credit: debit,
    amount_minor,
  }));
}

/**
 * Parses draws from a JSON column, in which amounts are text.
 * @returns null when the column holds no draws
 */
export function readDraws(json: unknown): Draw[] | null {
  if (!Array.isArray(json)) return null;
  return (json as Draw[]).map((drawn) => ({ ...drawn, amount_minor: BigInt(drawn.amount_minor) }));
}

/** Returns the changes of the items by draws. What was held is not drawn from a share. */
function changesBy(draws: Draw[], direction: 'drawn' | 'returned'): ItemChange[] {
  const sign = direction === 'drawn' ? 1n : -1n;
  const ofShares = draws.filter(({ bucket }) => bucket !== 'hold');
  return [...Map.groupBy(ofShares, ({ account_id }) => account_id)].map(([account_id, own]) => {
    const drawn_minor = own.reduce((sum, drawn) => sum + drawn.amount_minor, 0n);
    const pending = own.filter(({ bucket }) => bucket === 'pending').reduce((sum, drawn) => sum + drawn.amount_minor, 0n);
    return { account_id, waiting_minor: -sign * pending, drawn_minor: sign * drawn_minor };
  });
}

function name(bucket: AccountName, account_id: string) {
  return account(bucket, account_id === '' ? null : account_id);
}

function least(a: Minor, b: Minor): Minor {
  return a < b ? a : b;
}
