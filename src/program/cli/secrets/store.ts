import type { DatabaseUrls } from '../../../platform/config/config.ts';
import { sealedPlace } from '../../../kit/sealing.ts';
import { type Fragment, fixed, type Queryable, sql, type Tx } from '../../../kit/sql.ts';

/** A column whose values are all encrypted. */
export interface SealedColumn {
  databases: readonly (keyof DatabaseUrls)[];
  table: string;
  column: string;
  /** Columns that bind a value's encryption to its row: the team and the id. */
  team: string;
  id: string;
}

/** Every encrypted column. A test in test/secrets verifies that none is missing. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { databases: ['control'], table: 'installation_secrets', column: 'value_sealed', team: '0::bigint', id: 'name' },
  { databases: ['control'], table: 'provider_accounts', column: 'credentials_sealed', team: 'team_id', id: 'id' },
  { databases: ['control'], table: 'users', column: 'totp_sealed', team: '0::bigint', id: 'id' },
  { databases: ['control'], table: 'approvals', column: 'body_sealed', team: 'team_id', id: 'id' },
  { databases: ['sandbox', 'live'], table: 'webhook_endpoints', column: 'secret_sealed', team: 'team_id', id: 'id' },
  { databases: ['sandbox', 'live'], table: 'erasures', column: 'known_sealed', team: 'team_id', id: 'customer_id' },
  { databases: ['sandbox', 'live'], table: 'payment_methods', column: 'token_sealed', team: 'team_id', id: 'id' },
];

export interface SealedValue {
  team_id: bigint;
  id: string;
  sealed: string;
}

/** Returns the storage place to which an encrypted value is bound. */
export function placeOf({ table, column }: SealedColumn, { team_id, id }: SealedValue): string {
  return sealedPlace(`${table}.${column}`, team_id, id);
}

interface Words {
  table: Fragment;
  column: Fragment;
  team: Fragment;
  id: Fragment;
}

function wordsOf({ table, column, team, id }: SealedColumn): Words {
  return { table: fixed(table), column: fixed(column), team: fixed(team), id: fixed(id) };
}

/** Counts the values of each key; `unknown` for values in a format that this version does not write. */
export function countByKey(db: Queryable, sealed: SealedColumn): Promise<{ key: string; values: bigint }[]> {
  const { table, column } = wordsOf(sealed);
  return db.all(sql`
    select case when starts_with(${column}, 's2.') then split_part(${column}, '.', 2) else 'unknown' end as key, count(*) as values
    from ${table} where ${column} is not null group by 1 order by 1`);
}

/**
 * Returns the next values that another key has encrypted, locked until the transaction ends. Locked rows are left for the
 * next pass, so that neither this transaction nor others wait.
 * @param by prefix of the values that the current key has encrypted
 */
export function lockOthers(tx: Tx, sealed: SealedColumn, by: string, after: SealedValue | null, most: number) {
  const { table, column, team, id } = wordsOf(sealed);
  return tx.all<SealedValue>(sql`
    select ${team} as team_id, ${id} as id, ${column} as sealed from ${table}
    where not starts_with(${column}, ${by})
      and (${after === null} or (${team}, ${id}) > (${after?.team_id ?? 0n}::bigint, ${after?.id ?? ''}))
    order by 1, 2 limit ${most} for update skip locked`);
}

/** Writes encrypted values. Only the encryption changes; the row stays the same for all other code. */
export function writeSealed(tx: Tx, sealed: SealedColumn, values: readonly SealedValue[]): Promise<number> {
  const { table, column, team, id } = wordsOf(sealed);
  return tx.run(sql`
    update ${table} set ${column} = v.new_seal
    from unnest(${values.map((value) => value.team_id)}::bigint[], ${values.map((value) => value.id)}::text[],
      ${values.map((value) => value.sealed)}::text[]) as v (of_team, of_id, new_seal)
    where ${team} = v.of_team and ${id} = v.of_id`);
}

/** Locks the keys until the transaction ends, so that they are changed by one transaction at a time. */
export async function lockKeys(control: Tx): Promise<void> {
  await control.run(sql`select pg_advisory_xact_lock(hashtextextended('secrets keys', 0))`);
}
