import { fixed, type Fragment, part } from '../kit/sql.ts';

/** By what call slots are counted: an account's id is unique within its team. */
export function accountKey(team_id: bigint, account: string | null): string {
  return `${team_id} ${account ?? ''}`;
}

/**
 * A condition of a claim: not at one of these accounts, of which enough rows wait already. Nothing at all when there are none.
 * @param account SQL of the account's id, for a table with a team_id
 */
export function notAt(account: Fragment, keys: readonly string[]): Fragment {
  return keys.length === 0 ? fixed('') : part`and team_id || ' ' || coalesce(${account}, '') <> all (${keys}::text[])`;
}
