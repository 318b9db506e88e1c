import type { DatabaseUrls } from '../../config.ts';
import { sealedPlace } from '../../kit/sealing.ts';
import { type Fragment, fixed, type Queryable, sql, type Tx } from '../../kit/sql.ts';

/** A column of which every value is sealed. */
export interface SealedColumn {
  databases: readonly (keyof DatabaseUrls)[];
  table: string;
  column: string;
  /** What a value is bound to beside its column: whose it is and in which row. */
  team: string;
  id: string;
}

/** All there are: test/secrets holds that no column is missing. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { databases: ['control'], table: 'installation_secrets', column: 'value_sealed', team: '0::bigint', id: 'name' },
  { databases: ['control'], table: 'provider_accounts', column: 'credentials_sealed', team: 'team_id', id: 'id' },
  { databases: ['sandbox', 'live'], table: 'webhook_endpoints', column: 'secret_sealed', team: 'team_id', id: 'id' },
  { databases: ['sandbox', 'live'], table: 'payment_methods', column: 'token_sealed', team: 'team_id', id: 'id' },
];

export interface SealedValue {
  team_id: bigint;
  id: string;
  sealed: string;
}

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

/** How many values which key has sealed; `unknown` for what nothing of this version has sealed. */
export function countByKey(db: Queryable, sealed: SealedColumn): Promise<{ key: string; values: bigint }[]> {
  const { table, column } = wordsOf(sealed);
  return db.all(sql`
    select case when starts_with(${column}, 's2.') then split_part(${column}, '.', 2) else 'unknown' end as key, count(*) as values
    from ${table} group by 1 order by 1`);
}

/**
 * The next values that another key has sealed, locked until the transaction ends. What somebody is just changing is left for
 * the next pass: nobody waits for us, and we for nobody.
 * @param by how what the present key has sealed begins
 */
export function lockOthers(tx: Tx, sealed: SealedColumn, by: string, after: SealedValue | null, most: number) {
  const { table, column, team, id } = wordsOf(sealed);
  return tx.all<SealedValue>(sql`
    select ${team} as team_id, ${id} as id, ${column} as sealed from ${table}
    where not starts_with(${column}, ${by})
      and (${after === null} or (${team}, ${id}) > (${after?.team_id ?? 0n}::bigint, ${after?.id ?? ''}))
    order by 1, 2 limit ${most} for update skip locked`);
}

/** Nothing but the seal changes: for everybody else the row is as it was. */
export function writeSealed(tx: Tx, sealed: SealedColumn, values: readonly SealedValue[]): Promise<number> {
  const { table, column, team, id } = wordsOf(sealed);
  return tx.run(sql`
    update ${table} set ${column} = v.new_seal
    from unnest(${values.map((value) => value.team_id)}::bigint[], ${values.map((value) => value.id)}::text[],
      ${values.map((value) => value.sealed)}::text[]) as v (of_team, of_id, new_seal)
    where ${team} = v.of_team and ${id} = v.of_id`);
}

/** Others that change the keys wait until the transaction ends. */
export async function lockKeys(control: Tx): Promise<void> {
  await control.run(sql`select pg_advisory_xact_lock(hashtextextended('secrets keys', 0))`);
}
