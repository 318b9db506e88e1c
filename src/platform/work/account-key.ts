import { fixed, type Fragment, part } from '../../kit/sql.ts';

/** Returns the key that call slots are counted by: an account id is unique within its team. */
export function accountKey(team_id: bigint, account: string | null): string {
  return `${team_id} ${account ?? ''}`;
}

/**
 * Returns the condition of a claim query that excludes saturated accounts, which have enough waiting rows. Empty without such accounts.
 * @param account SQL of the account's id, for a table with a team_id
 * @param keys from {@link accountKey}
 */
export function notAt(account: Fragment, keys: readonly string[]): Fragment {
  return keys.length === 0 ? fixed('') : part`and team_id || ' ' || coalesce(${account}, '') <> all (${keys}::text[])`;
}
