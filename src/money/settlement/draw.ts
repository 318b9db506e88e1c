import { account, type AccountName } from '../ledger/accounts.ts';
import { type Journal, lockBalances, type Posting, post } from '../ledger/post.ts';
import type { Minor } from '../../kit/money.ts';
import type { Tx } from '../../kit/sql.ts';
import { owedByTeam, repayCredit } from './credit.ts';
import { feeOf } from './fee-store.ts';
import { type Giver, proRata, proRataBack, proRataSoFar, unitOf } from './shares.ts';
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
  const { givers, on_top_minor } = await giversOf(tx, claim, items);
  return proRataSoFar(claim.amount_minor, givers, unitOf(claim.currency), on_top_minor);
}

/** Returns what each party of a split payment has to give and has given, and the fee on top, which the team gives alone. */
async function giversOf(tx: Tx, { team_id, payment_id }: Pick<Claim, 'team_id' | 'payment_id'>, items: LockedItem[]) {
  const { fee_minor, bearer } = await feeOf(tx, team_id, payment_id);
  const [kept_minor, on_top_minor] = bearer === 'merchant' ? [fee_minor, 0n] : [0n, fee_minor];
  const givers = items.map(
    ({ account_id, share_minor, drawn_minor }): Giver => ({
      weight: account_id === '' ? share_minor + kept_minor : share_minor,
      taken_minor: drawn_minor ?? 0n,
    }),
  );
  return { givers, on_top_minor };
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
  return item.released_at === null && !isWrong(item) ? item.amount_minor : 0n;
}

function isWrong({ amount_minor, share_minor }: SettlementItem): boolean {
  return amount_minor > share_minor;
}

/** The journal that returns drawn money. It is posted at most once for each source and kind. */
export interface Return extends Pick<Journal, 'team_id' | 'kind' | 'source_id' | 'currency'> {
  payment_id: string;
  /** The account that held the drawn money: the team's, or with `each` the account of that name of each party. */
  from: AccountName;
  each?: boolean;
}

/**
 * Returns drawn money to the parties of the payment, so that what each has given afterwards is in proportion again ({@link draw}). A party
 * gets it in the balances it came from; what it gets beyond what was drawn from it becomes pending or available like the rest of its share.
 * Money drawn from a pending share becomes pending again, or available if the share has been released since. Money drawn from credit
 * becomes available, because the advance may have been repaid by now. All money that becomes available is used to repay outstanding
 * credit first. Items change only together with the journal; it is unique by source and kind, so a second return writes nothing. The
 * caller has locked the payment's row.
 * @param draws what was drawn; money drawn from `hold` is of no party, and goes back there
 * @param amount_minor how much of it comes back
 */
export async function returnDrawn(
  tx: Tx,
  { payment_id, from, each, ...journal }: Return,
  draws: readonly Draw[],
  amount_minor: Minor,
): Promise<void> {
  const { team_id, currency, source_id } = journal;
  const items = await lockItems(tx, team_id, payment_id);
  const parties = await divideBack(tx, { team_id, payment_id, currency, amount_minor }, items, draws);
  const itemOf = ({ account_id }: PartBack) => items.find((item) => item.account_id === account_id);
  const back = parties.flatMap((party) => backTo(party, itemOf(party)));
  const postings = [...(each ? evenOut(parties, from) : []), ...returnPostings(back, from, each)];
  const booked = await post(tx, [{ ...journal, subject_id: payment_id, postings }]);
  if (booked.length === 0) return;
  await changeItems(tx, team_id, payment_id, changesBy(back, 'returned'));
  const arrived = new Set(back.filter(({ bucket }) => bucket === 'available').map(({ account_id }) => account_id));
  await repayCredit(
    tx,
    [...arrived].map((account_id) => ({ team_id, currency, account_id, source_id, subject_id: payment_id })),
  );
}

/** What was drawn from a party, and how much of what comes back it gets. */
interface PartBack {
  account_id: string;
  own: Draw[];
  drawn_minor: Minor;
  part_minor: Minor;
}

/**
 * Divides what comes back among the parties. With one party, and where draws of before they were counted come back, it is in proportion to
 * what was drawn. Otherwise it depends on what other refunds and disputes have drawn since: a dispute may have taken the fee on
 * top from the team, as part of a whole that is not a whole any more.
 */
async function divideBack(tx: Tx, claim: Claim, items: LockedItem[], draws: readonly Draw[]): Promise<PartBack[]> {
  const { amount_minor, currency } = claim;
  const unit = unitOf(currency);
  // Draws are not counted in a wrong row, whose pending amount exceeds its share.
  const ofParties = items.length > 1 && draws.every(({ bucket }) => bucket !== 'hold') && !items.some(isWrong);
  const counted = items.reduce((sum, { drawn_minor }) => sum + (drawn_minor ?? 0n), 0n);
  const ids = ofParties ? items.map(({ account_id }) => account_id) : [...new Set(draws.map(({ account_id }) => account_id))];
  const owns = ids.map((id) => draws.filter(({ account_id }) => account_id === id));
  const drawn = owns.map((own) => own.reduce((sum, one) => sum + one.amount_minor, 0n));
  let parts: Minor[];
  if (ofParties && counted >= amount_minor) {
    const { givers, on_top_minor } = await giversOf(tx, claim, items);
    parts = proRataBack(amount_minor, givers, unit, on_top_minor);
  } else {
    // Older draws may not be multiples of the currency's smallest amount. Those are divided in hundredths, so that no party gets
    // back more than it gave.
    parts = proRata(amount_minor, drawn, drawn.every((gave) => gave % unit === 0n) ? unit : 1n);
  }
  return ids.map((account_id, i) => ({
    account_id,
    own: owns[i] as Draw[],
    drawn_minor: drawn[i] as Minor,
    part_minor: parts[i] as Minor,
  }));
}

/**
 * Returns the balances to which the part of a party goes. The last draw is returned first: the platform's advance, then available, then
 * pending money.
 */
function backTo({ account_id, own, part_minor }: PartBack, item: LockedItem | undefined): Draw[] {
  const isPending = item !== undefined && item.released_at === null;
  let missing = part_minor;
  // A row whose pending amount exceeds its share is wrong, and has no room.
  let room = isPending ? item.share_minor - item.amount_minor : 0n;
  const back: Draw[] = [];
  const give = (bucket: Draw['bucket'], most: Minor) => {
    const amount_minor = least(missing, most);
    if (amount_minor <= 0n) return;
    back.push({ account_id, bucket, amount_minor });
    missing -= amount_minor;
    if (bucket === 'pending') room -= amount_minor;
  };
  for (const { bucket, amount_minor } of own.toReversed()) {
    if (bucket === 'hold') give(bucket, amount_minor);
    else if (bucket === 'pending' && isPending) give(bucket, least(amount_minor, room));
    else give('available', amount_minor);
  }
  give('pending', room);
  give('available', missing);
  return back;
}

/** Moves money between the accounts that hold what was drawn, so that each party's account holds what the party gets. */
function evenOut(parties: PartBack[], from: AccountName): Posting[] {
  return parties.flatMap(({ account_id, drawn_minor, part_minor }) => {
    const more = part_minor - drawn_minor;
    // The team, which has an account of its own in each split, takes the other side.
    if (account_id === '' || more === 0n) return [];
    const [own, team] = [name(from, account_id), name(from, '')];
    return [more > 0n ? { debit: team, credit: own, amount_minor: more } : { debit: own, credit: team, amount_minor: -more }];
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
