import { account, type AccountName } from '../ledger/accounts.ts';
import { lockBalances, type Posting } from '../ledger/post.ts';
import type { Minor } from '../kit/money.ts';
import type { Tx } from '../kit/sql.ts';
import { proRata } from './shares.ts';
import { changeWaiting, lockItems } from './store.ts';

/** From where one part of an amount was drawn; stored beside the refund or dispute so that it can be put back. */
export interface Draw {
  /** '' is the team itself. */
  account_id: string;
  bucket: 'pending' | 'available' | 'credit' | 'hold';
  amount_minor: Minor;
}

export interface Claim {
  team_id: bigint;
  payment_id: string;
  currency: string;
  amount_minor: Minor;
}

/**
 * Draws an amount back from the parties of a payment, in proportion to what each got: from what still waits of this
 * very payment first, then from `available`, then from `credit` down to the cap. The payment's row is locked before.
 * @param cap_minor how far below zero `credit` may go; null: without limit
 * @returns the draws, or null when they do not cover the amount (nothing is changed then)
 */
export async function draw(tx: Tx, claim: Claim, cap_minor: Minor | null): Promise<Draw[] | null> {
  const items = await lockItems(tx, claim.team_id, claim.payment_id);
  const parties = items.map((item) => item.account_id);
  const wanted = proRata(
    claim.amount_minor,
    items.map((item) => item.share_minor),
  );
  const balances = await lockBalances(
    tx,
    claim.team_id,
    claim.currency,
    parties.flatMap((party) => [name('available', party), name('credit', party)]),
  );
  const draws: Draw[] = [];
  for (const [i, item] of items.entries()) {
    const party = item.account_id;
    let missing = wanted[i] as Minor;
    const take = (bucket: Draw['bucket'], most: Minor) => {
      const amount_minor = least(missing, most);
      if (amount_minor > 0n) draws.push({ account_id: party, bucket, amount_minor });
      missing -= amount_minor > 0n ? amount_minor : 0n;
    };
    take('pending', item.released_at === null ? item.amount_minor : 0n);
    take('available', balances[name('available', party)] ?? 0n);
    take('credit', cap_minor === null ? missing : cap_minor + (balances[name('credit', party)] ?? 0n));
    if (missing > 0n) return null;
  }
  await changeWaiting(tx, claim.team_id, claim.payment_id, waiting(draws, -1n));
  return draws;
}

/** Gives drawn money back to where it was: what waited waits again, unless its hold ended meanwhile. */
export async function putBack(tx: Tx, claim: Claim, draws: Draw[]): Promise<Draw[]> {
  const items = await lockItems(tx, claim.team_id, claim.payment_id);
  const released = new Set(items.filter((item) => item.released_at !== null).map((item) => item.account_id));
  const back = draws.map(
    (drawn): Draw => (drawn.bucket === 'pending' && released.has(drawn.account_id) ? { ...drawn, bucket: 'available' } : drawn),
  );
  await changeWaiting(tx, claim.team_id, claim.payment_id, waiting(back, 1n));
  return back;
}

/** What drawing books. @param to the account that takes it; with `each`, every party's own */
export function drawPostings(draws: Draw[], to: AccountName, each = false): Posting[] {
  return draws.map((drawn) => ({
    debit: name(drawn.bucket, drawn.account_id),
    credit: name(to, each ? drawn.account_id : ''),
    amount_minor: drawn.amount_minor,
  }));
}

/** What putting back books. */
export function returnPostings(draws: Draw[], from: AccountName, each = false): Posting[] {
  return drawPostings(draws, from, each).map(({ debit, credit, amount_minor }) => ({
    debit: credit,
    credit: debit,
    amount_minor,
  }));
}

/** Draws as they come back from a json column: amounts are text there. */
export function readDraws(json: unknown): Draw[] | null {
  if (!Array.isArray(json)) return null;
  return (json as Draw[]).map((drawn) => ({ ...drawn, amount_minor: BigInt(drawn.amount_minor) }));
}

function waiting(draws: Draw[], sign: Minor): { account_id: string; by_minor: Minor }[] {
  return draws
    .filter((drawn) => drawn.bucket === 'pending')
    .map(({ account_id, amount_minor }) => ({ account_id, by_minor: sign * amount_minor }));
}

function name(bucket: AccountName, account_id: string) {
  return account(bucket, account_id === '' ? null : account_id);
}

function least(a: Minor, b: Minor): Minor {
  return a < b ? a : b;
}
