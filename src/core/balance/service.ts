import { wireFromMinor } from '../../kit/money.ts';
import type { Queryable } from '../../kit/sql.ts';
import { account } from '../../money/ledger/accounts.ts';
import { readBalances } from '../../money/ledger/balances.ts';
import { type Balance, type Bucket, BUCKETS } from './schema.ts';

/**
 * Returns the balance according to the ledger in one snapshot, whatever is being posted or folded at the same time.
 * @param account_id a connected subaccount; null is the team itself
 * @returns amounts in major units
 */
export async function readBalance(db: Queryable, team_id: bigint, currency: string, account_id: string | null): Promise<Balance> {
  const accounts = BUCKETS.map((bucket) => [bucket, account(bucket, account_id)] as const);
  const names = accounts.map(([, name]) => name);
  const books = await readBalances(db, team_id, currency, names);
  const figures = accounts.map(([bucket, name]) => [bucket, books.get(name) ?? 0n] as const);
  // Summed before the conversion: integers of hundredths are exact, sums of decimals are not.
  const total = figures.reduce((sum, [, amount_minor]) => sum + amount_minor, 0n);
  const shown = Object.fromEntries(figures.map(([bucket, amount_minor]) => [bucket, wireFromMinor(amount_minor)])) as Record<
    Bucket,
    number
  >;
  return { total: wireFromMinor(total), ...shown, currency };
}
